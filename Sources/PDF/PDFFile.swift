// SPDX-License-Identifier: Apache-2.0
import CQpdf

/// A PDF file in memory, as libqpdf reads it.
struct PDFFile {
}
