// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
