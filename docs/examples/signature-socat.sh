#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes a signature with no more than socat: signature-socat.sh SOCKET. A call ends with a zero byte, as do the answers;
# here each of them becomes a line. -t: how long socat waits for the person after it has sent the call, in seconds.
call='{"method":"org.inkpanel.Panel.Capture","more":true,"parameters":{"prompt":["Delivery 4711 received"]}}'
printf '%s\0' "$call" | socat -t 600 - "UNIX-CONNECT:$1" | tr '\0' '\n'
