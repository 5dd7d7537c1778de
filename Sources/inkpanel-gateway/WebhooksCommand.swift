// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Foundation
import Glibc
import HTTP
import Linux
import Webhooks

struct WebhooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "Tell other servers how captures end.",
        subcommands: [Run.self, Check.self, Status.self, List.self, Redeliver.self, Enable.self])

    /// The directory of the queues.
    struct State: ParsableArguments {
        @Option(name: .customLong("state"), help: "Directory of the queues.")
        var path = "/var/lib/inkpanel-webhooks"
    }

    /// The file of the webhooks, or the credential that the service manager made of it.
    struct File: ParsableArguments {
        @Option(
            help: ArgumentHelp("File of the webhooks (default: \(WebhookFile.usualPath)).", valueName: "file"))
        var webhooks: String?

        func endpoints() throws -> [WebhookEndpoint] {
            let credential = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) + "/webhooks.toml" }
            let path = webhooks ?? credential ?? WebhookFile.usualPath
            do throws(WebhookFileError) {
                return try WebhookFile.read(path, isCredential: webhooks == nil && credential != nil)
            } catch {
                throw ValidationError(error.description)
            }
        }
    }

    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Listen to the panel, and send messages until the program is ended.")

        @OptionGroup var file: File

        @OptionGroup var configuration: ConfigurationOption

        @Option(help: "Socket of the panel's host API (default: that of the configuration).")
        var panel: String?

        @OptionGroup var state: State

        @Option(help: "File in which this program says how it is, for the command status and the gateway.")
        var statusFile = WebhookStatus.usualPath

        @Option(help: .hidden)
        var curl = "/usr/bin/curl"

        // Tests cannot wait for three days.
        @Option(help: .hidden)
        var haste = 1.0

        @Option(help: .hidden)
        var patience = WebhookService.Setup.usualPatience

        @Option(help: .hidden)
        var queueLimit = WebhookSender.Limits().count

        func validate() throws {
            guard 1...1e6 ~= haste, 1...3600 ~= patience, 1...1_000_000 ~= queueLimit else {
                throw ValidationError("out of range")
            }
        }

        func run() throws {
            let settings = try configuration.settings() ?? Configuration()
            var setup = WebhookService.Setup(
                endpoints: try file.endpoints(), panelSocket: panel ?? settings.control.socket, state: state.path,
                statusPath: statusFile, version: GatewayCommand.version)
            setup.limits.haste = haste
            setup.patience = .seconds(Int64(patience))
            setup.limits.count = queueLimit
            setup.curl = curl
            signal(SIGPIPE, SIG_IGN)
            let service: WebhookService
            do { service = try WebhookService(setup, log: Log(identifier: "inkpanel-webhooks")) } catch {
                throw ValidationError("\(error)")
            }
            try service.run()
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Report errors in the file of the webhooks.")

        @OptionGroup var file: File

        func run() throws {
            let endpoints = try file.endpoints()
            if endpoints.isEmpty {
                throw ValidationError("there is no webhook: begin one with a line [NAME] (docs/gateway.md)")
            }
            for endpoint in endpoints {
                if let path = endpoint.authorities {
                    do throws(Errno) { _ = try InputFile.open(path) } catch {
                        throw ValidationError("[\(endpoint.name)]: ca-file: \(path.printable): \(error)")
                    }
                }
                let events = WebhookEndpoint.Event.allCases.filter(endpoint.events.contains).map(\.rawValue)
                let more = endpoint.tellsRequest ? " with request" : ""
                print("\(endpoint.name)\t\(events.joined(separator: " "))\(more)")
            }
        }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say how the webhooks do. Fails if the program does not run, or messages do not arrive.")

        @Option(help: "File of the program that runs.")
        var statusFile = WebhookStatus.usualPath

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            guard let status = WebhookStatus.read(statusFile) else {
                throw ValidationError(
                    "the webhooks do not run (there is no \(statusFile)): systemctl status inkpanel-webhooks")
            }
            print(json ? String(decoding: status.json, as: UTF8.self) : status.text)
            if status.fault != nil || status.webhooks.contains(where: { $0.disabled || $0.fault != nil }) {
                throw ExitCode(EX_UNAVAILABLE)
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List messages that wait or were given up.")

        @Flag(help: "Also the last messages that were delivered.")
        var delivered = false

        @OptionGroup var state: State

        func run() throws {
            let folders: [WebhookQueue.Folder] = [.failed, .waiting] + (delivered ? [.delivered] : [])
            for name in try WebhooksCommand.names(in: state.path) {
                let queue = WebhookQueue(state: state.path, name: name)
                for folder in folders {
                    let items: [WebhookQueue.Item]
                    do throws(Errno) { items = try queue.items(folder) } catch {
                        throw ValidationError("\(queue.folder(folder)): \(error)")
                    }
                    for item in items {
                        let written = (try? Directory.timeOfChange(queue.path(of: item, in: folder))) ?? 0
                        let time = Date(timeIntervalSince1970: Double(written / 1_000_000)).formatted(.iso8601)
                        let event = WebhookMessage.event(ofID: item.id)?.rawValue ?? "-"
                        let word = folder == .failed ? "given-up" : folder.rawValue
                        print("\(name)\t\(word)\t\(time)\t\(event)\t\(item.id)")
                    }
                }
            }
        }
    }

    struct Redeliver: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send messages again that were given up or delivered, and those that wait now.")

        @Argument(help: "Ids of messages, as list prints them.")
        var ids: [String] = []

        @Flag(help: "All that were given up, and all that wait.")
        var all = false

        @Option(help: "Only this webhook.")
        var webhook: String?

        @OptionGroup var state: State

        func validate() throws {
            if ids.isEmpty != all {
                throw ValidationError("name messages, or --all for those that were given up or wait")
            }
        }

        func run() throws {
            let names = try WebhooksCommand.names(in: state.path).filter { webhook == nil || webhook == $0 }
            if let webhook, names.isEmpty { throw ValidationError("there is no webhook \(webhook.printable)") }
            var (requests, count): ([WebhookRequest], Int) = ([], 0)
            for name in names {
                let queue = WebhookQueue(state: state.path, name: name)
                var kept: [WebhookQueue.Item]
                do throws(Errno) {
                    kept = try queue.items(.failed)
                    let waiting = try queue.items(.waiting)
                    if all, !waiting.isEmpty {
                        // One command for all of them.
                        requests.append(WebhookRequest(id: nil, webhook: name))
                        count += waiting.count
                    } else if !all {
                        kept += try waiting + queue.items(.delivered)
                    }
                } catch {
                    throw ValidationError("\(queue.path): \(error)")
                }
                let wanted = kept.filter { all || ids.contains($0.id) }
                requests += wanted.map { WebhookRequest(id: $0.id, webhook: name) }
                count += wanted.count
            }
            if let id = ids.first(where: { id in !requests.contains { $0.id == id } }) {
                throw ValidationError(
                    "there is no such message: \(id.printable); list --delivered has those that are kept")
            }
            for request in requests { try WebhooksCommand.put(request, in: state.path) }
            print("\(count) messages")
        }
    }

    struct Enable: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Use a webhook again whose receiver wanted no more messages (410).")

        @Argument(help: "Its name.")
        var webhook: String

        @OptionGroup var state: State

        func run() throws {
            guard try WebhooksCommand.names(in: state.path).contains(webhook) else {
                throw ValidationError("there is no webhook \(webhook.printable)")
            }
            try WebhooksCommand.put(WebhookRequest(id: nil, webhook: webhook), in: state.path)
        }
    }

    private static func names(in state: String) throws -> [String] {
        do throws(Errno) { return try Directory.names(of: state + "/queues").filter(WebhookFile.isName).sorted() } catch
        {
            if error == .noSuchFile { return [] }
            throw ValidationError("\(state)/queues: \(error); run this as root")
        }
    }

    private static func put(_ request: WebhookRequest, in state: String) throws {
        do throws(Errno) { try request.put(in: state) } catch {
            throw ValidationError("\(WebhookRequest.folder(in: state)): \(error); run this as root")
        }
    }
}
