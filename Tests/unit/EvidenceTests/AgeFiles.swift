// SPDX-License-Identifier: Apache-2.0
@testable import Evidence

/// A file that age 1.1.1 made for two keys of its own:
///
///     age-keygen -o one; age-keygen -o two
///     age -r $(age-keygen -y one) -r $(age-keygen -y two) -o FILE message
enum AgeFiles {
    static let message = OpenSSHFiles.message
    static let one = """
        # created: 2026-11-25T03:50:43Z
        # public key: age1htlgr2v7pp8cn662uylpswwpn8kvgxmjxerxmtu4fe6r733j7p4qgutz5q
        AGE-SECRET-KEY-1NUVWS8ADKM592YW04RJXYWPEC3C24WV6VMLJR50CHGN77DM8XPVS9G0QPF

        """
    static let two = """
        # created: 2026-11-25T03:50:43Z
        # public key: age1g4htpq0xqmcde2gduj0twrfcqmye7m0pe67kws6c97tnt45fdsmqym8a3u
        AGE-SECRET-KEY-1EE8NU24S785V22CXGD6MM6HKCLDLS6FRM9QS6NCFWNVP9ZTG2KHSSU8R2N

        """
    static let recipients = [
        "age1htlgr2v7pp8cn662uylpswwpn8kvgxmjxerxmtu4fe6r733j7p4qgutz5q",
        "age1g4htpq0xqmcde2gduj0twrfcqmye7m0pe67kws6c97tnt45fdsmqym8a3u",
    ]
    static let encrypted =
        Base64.decode(
            Array(
                """
                YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBnaHAvbm5WRkVlRTdTWGxPWmM0RDNrY3huNEFtTVYrK1ZXUmc1cGpqVlFz\
                CnBCNWZVdzB6ZzJjYmE5OFd4VzFGV2pvU1ltaG95QW54TTZzMDZ3bjBOUHcKLT4gWDI1NTE5IG13dFVrVk9ObHZFUlZjMWJPdzBN\
                U0EvajhkaGU0UXBDbWJNUG55ZHZIa2sKdDloL3VIOGJDTVFoeHNDdUhSUWF0QXIyblVScEZPcVB4ZUZtUlZoN2IvYwotLS0gR3RN\
                TTI1Zk0xMnlQeVNXQVM3NHJqa2ZOd0RvUE9VVlhFR3FsMFJ3VFQyYwrdMJxAdM7JOuAlrv2tLLuyJjiljPwpyBojK4vHVCGUFw6x\
                uOdXoeNHRC96puTQiRxa7UnfHm+rLaM=
                """.utf8), isPadded: true) ?? []
}

func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
}
