// SPDX-License-Identifier: Apache-2.0
import Gateway

/// HTTP access for other computers, a process of its own, so that Foundation stays out of the panel's. The commands are
/// in the library, where tests reach them.
@main
enum Main {
    // On the main thread, without others: a command may block signals for all threads.
    @MainActor
    static func main() async { await GatewayCommand.main() }
}
