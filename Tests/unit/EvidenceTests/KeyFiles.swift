// SPDX-License-Identifier: Apache-2.0

/// A key and a signature that OpenSSH 9.2 made:
///
///     ssh-keygen -t ecdsa -b 256 -N '' -C panel-12 -f key
///     ssh-keygen -p -N '' -m PKCS8 -f key                     (or -m PEM)
///     ssh-keygen -Y sign -f key -n inkpanel-seal message
enum OpenSSHFiles {
    static let message = Array("The parcel was received.\n".utf8)
    static let namespace = "inkpanel-seal"
    static let publicKey =
        "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBDTTBwWig2Qn0Cn+RQlZTdhmnEVCQyYF3YUa"
        + "rUK96Jt/GoHzU1cMZEXQOkh2jk2ny+a/YQmLtFAN9L4/yVK3gfU="
    static let fingerprint = "SHA256:dnUeM6gSMVqAQi1Moffsl0585OcZVAXTBxtGwDerpB8"
    /// Its lines are shorter than ours.
    static let signature = Array(
        """
        -----BEGIN SSH SIGNATURE-----
        U1NIU0lHAAAAAQAAAGgAAAATZWNkc2Etc2hhMi1uaXN0cDI1NgAAAAhuaXN0cDI1NgAAAE
        EENNMHBaKDZCfQKf5FCVlN2GacRUJDJgXdhRqtQr3om38agfNTVwxkRdA6SHaOTafL5r9h
        CYu0UA30vj/JUreB9QAAAA1pbmtwYW5lbC1zZWFsAAAAAAAAAAZzaGE1MTIAAABjAAAAE2
        VjZHNhLXNoYTItbmlzdHAyNTYAAABIAAAAIEz1Ol5Y4Dh0XfU2O0UxOKyGZB92Y9nEtbN0
        8XrDob3PAAAAIAJzsrF+N0VoXFDm4cs60FkpcErPF9lR11awWxEQjkwO
        -----END SSH SIGNATURE-----

        """.utf8)

    /// PKCS #8, as ``SigningKey/pem()`` writes it.
    static let pkcs8 = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCv/1bxQgYctFnVtY
        uFupl6KoaCYWN+8dpTAM5zcTBKehRANCAAQ00wcFooNkJ9Ap/kUJWU3YZpxFQkMm
        Bd2FGq1CveibfxqB81NXDGRF0DpIdo5Np8vmv2EJi7RQDfS+P8lSt4H1
        -----END PRIVATE KEY-----

        """.utf8)

    /// SEC 1.
    static let sec1 = Array(
        """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIAr/9W8UIGHLRZ1bWLhbqZeiqGgmFjfvHaUwDOc3EwSnoAoGCCqGSM49
        AwEHoUQDQgAENNMHBaKDZCfQKf5FCVlN2GacRUJDJgXdhRqtQr3om38agfNTVwxk
        RdA6SHaOTafL5r9hCYu0UA30vj/JUreB9Q==
        -----END EC PRIVATE KEY-----

        """.utf8)

    /// OpenSSH's own format.
    static let openSSH = Array(
        """
        -----BEGIN OPENSSH PRIVATE KEY-----
        b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAaAAAABNlY2RzYS
        1zaGEyLW5pc3RwMjU2AAAACG5pc3RwMjU2AAAAQQQ00wcFooNkJ9Ap/kUJWU3YZpxFQkMm
        Bd2FGq1CveibfxqB81NXDGRF0DpIdo5Np8vmv2EJi7RQDfS+P8lSt4H1AAAAoHs1cr97NX
        K/AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBDTTBwWig2Qn0Cn+
        RQlZTdhmnEVCQyYF3YUarUK96Jt/GoHzU1cMZEXQOkh2jk2ny+a/YQmLtFAN9L4/yVK3gf
        UAAAAgCv/1bxQgYctFnVtYuFupl6KoaCYWN+8dpTAM5zcTBKcAAAAIcGFuZWwtMTI=
        -----END OPENSSH PRIVATE KEY-----

        """.utf8)
}

/// Keys of other kinds, from OpenSSL 3.0.
enum OtherKeys {
    /// `openssl ecparam -name secp384r1 -genkey | openssl pkcs8 -topk8 -nocrypt`
    static let p384 = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCqFJjO7hv8ITS3oe1u
        elPc99CtaHcKhYRCrfzVPeZzMiFIgRv8E4RPUtUv25D9YuGhZANiAAQ46/IiilLD
        a4aOMLRGgU3ZxLxR92ok5chRfXNGL1xjSlpkyHKYRkr8/rMBWBxl8O/TxXdITmZ5
        Nbnemu8MMXfHMqSBRDJ015E0rhWeCyl+uFxOMpoOauF2adDaM+0XobA=
        -----END PRIVATE KEY-----

        """.utf8)

    /// `openssl genpkey -algorithm ed25519`
    static let ed25519 = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIBrON9iqQk84xWFI6rhHb6X4UxLunGysF+kcY4Fn8ALt
        -----END PRIVATE KEY-----

        """.utf8)

    /// `openssl pkcs8 -topk8`, with the password `x`.
    static let encrypted = Array(
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiGD4toFrVBDQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMQRmu2ki4G/lwIYc7sl5WwEgZAE
        TCIcr4qlrul7RAKExhRxZ/7yNVpbvrdvMtQnsz0Zkq8FVnW2qDtr0G3SgvHs+dpV
        PiWPj+5A4L9mdXV9/bmzQBLxsRWZ4qiyhAaOHHknZP8lb1RCXGFCEyyAWmWScq4+
        bI/4MHkrgwxOQ/Sai4patpv9yTiEUQefdadIB5PVAoRIvac1LYadcOHN+W4ZNM8=
        -----END ENCRYPTED PRIVATE KEY-----

        """.utf8)

    /// `openssl ec -param_enc explicit`: P-256 by its parameters.
    static let explicit = Array(
        """
        -----BEGIN EC PRIVATE KEY-----
        MIIBaAIBAQQgCv/1bxQgYctFnVtYuFupl6KoaCYWN+8dpTAM5zcTBKeggfowgfcC
        AQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAAAAAAAAAAAAAA////////////////
        MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8BCBaxjXYqjqT57Pr
        vVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEE
        axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54W
        K84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA//////////+85vqtpxeehPO5ysL8
        YyVRAgEBoUQDQgAENNMHBaKDZCfQKf5FCVlN2GacRUJDJgXdhRqtQr3om38agfNT
        VwxkRdA6SHaOTafL5r9hCYu0UA30vj/JUreB9Q==
        -----END EC PRIVATE KEY-----

        """.utf8)

    /// `openssl ecparam -name prime256v1 -genkey`: P-256 after a block of parameters.
    static let afterParameters = Array(
        """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIGNqUJ2qlTtIweLBv0YYVAXp/TRoKQd7Lhp+lD7obnP9oAoGCCqGSM49
        AwEHoUQDQgAEoPw3eV/R9Fq7y0cz9kbnZgEBCPikuczlPwLqufxvH9dPuVHBI0RN
        DUGwp3a0fVUMLEClVQGy6jsNk0PNlXrKWw==
        -----END EC PRIVATE KEY-----

        """.utf8)

    /// `openssl req -x509 -key key -subj "/O=Example/CN=Panel 12"`, with the key of ``OpenSSHFiles``.
    static let certificate = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBnzCCAUWgAwIBAgIUaF9kQR+kAcegBuFd7Apxr4ZsEQUwCgYIKoZIzj0EAwIw
        JTEQMA4GA1UECgwHRXhhbXBsZTERMA8GA1UEAwwIUGFuZWwgMTIwHhcNMjYxMTI1
        MDM1ODU0WhcNMzYxMTIyMDM1ODU0WjAlMRAwDgYDVQQKDAdFeGFtcGxlMREwDwYD
        VQQDDAhQYW5lbCAxMjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDTTBwWig2Qn
        0Cn+RQlZTdhmnEVCQyYF3YUarUK96Jt/GoHzU1cMZEXQOkh2jk2ny+a/YQmLtFAN
        9L4/yVK3gfWjUzBRMB0GA1UdDgQWBBQhD8OvTV7dyQEKj2iUfGChsRWa1DAfBgNV
        HSMEGDAWgBQhD8OvTV7dyQEKj2iUfGChsRWa1DAPBgNVHRMBAf8EBTADAQH/MAoG
        CCqGSM49BAMCA0gAMEUCIAIJB6HfAkpl/+E6Fv6kJPwrGfBAgendU8P8hTDIdfX5
        AiEApzc+qsmbVgQd6eYin7fBRZ5sUnaC0uxAkLLMhfeMsIs=
        -----END CERTIFICATE-----

        """.utf8)

    /// The same with another curve.
    static let certificateP384 = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBtzCCAT6gAwIBAgIUNq/enKQV4H24qH8cIHuUHtja2g0wCgYIKoZIzj0EAwIw
        EzERMA8GA1UEAwwIUGFuZWwgMTIwHhcNMjYxMTI1MDM1ODU0WhcNMzYxMTIyMDM1
        ODU0WjATMREwDwYDVQQDDAhQYW5lbCAxMjB2MBAGByqGSM49AgEGBSuBBAAiA2IA
        BDjr8iKKUsNrho4wtEaBTdnEvFH3aiTlyFF9c0YvXGNKWmTIcphGSvz+swFYHGXw
        79PFd0hOZnk1ud6a7wwxd8cypIFEMnTXkTSuFZ4LKX64XE4ymg5q4XZp0Noz7Reh
        sKNTMFEwHQYDVR0OBBYEFA43eYW9pNRiD3yBu40OoRjx/STwMB8GA1UdIwQYMBaA
        FA43eYW9pNRiD3yBu40OoRjx/STwMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0E
        AwIDZwAwZAIwfe8/4T/EMsHoPXmK+dsqkoGBTiOqn08trBMVwO6GU7Qk10LKSfVw
        ul/6uNfmXZCFAjBI3LuwUi8eUIazgD37nsWpQpyQjgLGJK7ceUZ8yf2x7OqOj27f
        52ABg6hwoo2GK3w=
        -----END CERTIFICATE-----

        """.utf8)
}
