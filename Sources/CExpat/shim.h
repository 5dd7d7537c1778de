// SPDX-License-Identifier: Apache-2.0
// The functions that Swift calls are expat's own; this header only gives them to the module.
#pragma once
#include <expat.h>
