// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lines of C that a message comes from mean nothing to who reads the journal; and with them sd_journal_sendv is a
// macro, which Swift cannot import.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
