// SPDX-License-Identifier: Apache-2.0
import Glibc
import PDF

// It is in the library, where tests reach it.
exit(HelperProgram.run(CommandLine.arguments))
