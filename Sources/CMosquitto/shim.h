// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>
