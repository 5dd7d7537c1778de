// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ts.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// The function has another name since OpenSSL 3.4.
static inline void setStore(TS_VERIFY_CTX *context, X509_STORE *store) {
#if OPENSSL_VERSION_NUMBER >= 0x30400000L
    TS_VERIFY_CTX_set0_store(context, store);
#else
    TS_VERIFY_CTX_set_store(context, store);
#endif
}
