// SPDX-License-Identifier: Apache-2.0
import CMosquitto
import Geometry
import Glibc
import Linux

/// The broker's place, and the files that identify the panel there.
public struct BrokerAddress: Equatable, Sendable {
    public var host: String
    public var port: Int
    /// Seconds without messages after which each side looks whether the other is there.
    public var keepAlive: Int
    /// Folder of `panel.crt`, `panel.key` and `ca.crt`.
    public var credentials: String

    public init(host: String, port: Int, keepAlive: Int, credentials: String) {
        self.host = host
        self.port = port
        self.keepAlive = keepAlive
        self.credentials = credentials
    }

    var text: String { "\(host):\(port)" }
}

/// A connection to the broker over libmosquitto, which is used by one thread at a time: the one that connects, then the
/// one that waits for its descriptor. Its callbacks collect ``events``.
final class BrokerConnection: @unchecked Sendable {
    enum Event: Equatable {
        /// The broker has accepted the panel.
        case accepted
        case subscribed
        case message(BrokerMessage)
        /// - Parameter reason: nil if the message was accepted.
        case acknowledged(number: Int, reason: String?)
        case ended(BrokerFault)
    }

    /// Bytes of a message from the broker, and messages that it may send before they are acknowledged. A broker that
    /// sends more is stopped by the service's memory limit (systemd/inkpanel-fleet.service).
    private static let packetLimit: UInt32 = 128 << 10
    private static let receiveMaximum: CInt = 4
    /// Seconds for which the broker keeps requests for a panel that is away.
    private static let sessionExpiry: UInt32 = 3600
    /// Seconds for which it keeps answers for a host that is away.
    private static let answerExpiry: UInt32 = 86400

    let name: FleetName
    private let address: BrokerAddress
    /// libmosquitto's.
    private let client: OpaquePointer
    private var tls: BrokerTLS?
    private var events: [Event] = []
    private var numbers: [CInt: Int] = [:]
    /// The last line of libmosquitto's log, the only place that has the reason of a TLS failure.
    private var lastLog = ""
    /// Seconds; the broker may want another time than ours.
    private(set) var keepAlive: Int

    /// Call once, before any connection.
    static func initializeLibrary() { mosquitto_lib_init() }

    /// Connects; blocks until TCP and the name server have answered. TLS and MQTT follow in ``serve(_:)``.
    /// - Parameter keepsSession: whether the broker may deliver requests that it has kept.
    /// - Throws: ``BrokerFault``.
    init(to address: BrokerAddress, as name: FleetName, keepsSession: Bool) throws(BrokerFault) {
        self.address = address
        self.name = name
        keepAlive = address.keepAlive
        guard let client = mosquitto_new("\(name)", !keepsSession, nil) else { throw .other("out of memory") }
        self.client = client
        mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
        mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
        mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, Self.receiveMaximum)
        // Otherwise the kernel holds an answer back until the last one is acknowledged: 82 ms instead of 0.5.
        mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        let folder = address.credentials
        let result = mosquitto_tls_set(
            client, folder + "/ca.crt", nil, folder + "/panel.crt", folder + "/panel.key", nil)
        if result != MOSQ_ERR_SUCCESS.code { throw fault(result) }
        let will = FleetSession.offline
        mosquitto_will_set_v5(
            client, Topic.status.text(of: name), CInt(will.count), will, 1, true, nil)
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        mosquitto_property_add_int32(&properties, CInt(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), Self.sessionExpiry)
        mosquitto_property_add_int32(&properties, CInt(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Self.packetLimit)
        let connected = mosquitto_connect_bind_v5(
            client, address.host, CInt(address.port), CInt(address.keepAlive), nil, properties)
        if connected != MOSQ_ERR_SUCCESS.code { throw fault(connected) }
        tls = BrokerTLS(client)
    }

    deinit { mosquitto_destroy(client) }

    /// When the broker's certificate ends, in seconds since 1970-01-01 UTC.
    var brokerCertificateEnds: Int64? { tls?.certificateEnds }

    var descriptor: CInt { mosquitto_socket(client) }
    var wantsToWrite: Bool { mosquitto_want_write(client) }

    /// Carries on with what the descriptor is ready for.
    /// - Returns: what has happened, in order.
    func serve(_ ready: EventPoll.Event?) -> [Event] {
        if ready.map({ $0.isReadable || $0.isHangup }) == true { note(mosquitto_loop_read(client, 1)) }
        if wantsToWrite, descriptor >= 0 { note(mosquitto_loop_write(client, 1)) }
        defer { events = [] }
        return events
    }

    /// Sends a sign of life if it is time, or gives up a connection on which the last one was not answered.
    func sayAlive() { note(mosquitto_loop_misc(client)) }

    func subscribe() {
        // A retained request would come with each connection, for ever.
        mosquitto_subscribe_v5(
            client, nil, Topic.requests(to: name), 1, CInt(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue), nil)
    }

    func publish(_ publication: FleetSession.Publication) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        mosquitto_property_add_byte(&properties, CInt(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR.rawValue), 1)
        mosquitto_property_add_string(&properties, CInt(MQTT_PROP_CONTENT_TYPE.rawValue), "application/json")
        let isRetained = publication.topic.isRetained
        if !isRetained {
            mosquitto_property_add_int32(
                &properties, CInt(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), Self.answerExpiry)
        }
        if let correlation = publication.correlation, !correlation.isEmpty {
            mosquitto_property_add_binary(
                &properties, CInt(MQTT_PROP_CORRELATION_DATA.rawValue), correlation, UInt16(correlation.count))
        }
        var message: CInt = 0
        let payload = publication.payload
        let result = mosquitto_publish_v5(
            client, &message, publication.topic.text(of: name), CInt(payload.count), payload, 1, isRetained, properties)
        switch result {
        case MOSQ_ERR_SUCCESS.code: if let number = publication.number { numbers[message] = number }
        // The broker has said that it accepts no such message.
        case MOSQ_ERR_OVERSIZE_PACKET.code, MOSQ_ERR_QOS_NOT_SUPPORTED.code:
            let reason = String(cString: mosquitto_strerror(result))
            events.append(.acknowledged(number: publication.number ?? 0, reason: reason))
        // The connection has ended, which the next call of libmosquitto tells.
        default: break
        }
    }

    /// Says good-bye.
    /// - Parameter publishesWill: whether the panel is away now.
    func disconnect(publishesWill: Bool) {
        let reason = publishesWill ? MQTT_RC_DISCONNECT_WITH_WILL_MSG : MQTT_RC_NORMAL_DISCONNECTION
        mosquitto_disconnect_v5(client, CInt(reason.rawValue), nil)
    }

    // MARK: libmosquitto

    private func note(_ result: CInt) {
        if result == MOSQ_ERR_SUCCESS.code { return }
        let isKnown = events.contains { if case .ended = $0 { true } else { false } }
        if !isKnown { events.append(.ended(fault(result))) }
    }

    private func fault(_ result: CInt) -> BrokerFault {
        BrokerFault(result: result, system: errno, log: lastLog, refusal: tls?.refusal ?? 0, address: address)
    }

    private func setCallbacks() {
        mosquitto_log_callback_set(client) { _, object, level, text in
            guard let text, level & CInt(MOSQ_LOG_ERR | MOSQ_LOG_WARNING) != 0 else { return }
            BrokerConnection.from(object)?.lastLog = String(cString: text)
        }
        mosquitto_connect_v5_callback_set(client) { _, object, reason, _, properties in
            guard let connection = BrokerConnection.from(object) else { return }
            guard reason == 0 else {
                return connection.events.append(.ended(.refused(String(cString: mosquitto_reason_string(reason)))))
            }
            var wanted: UInt16 = 0
            let keepAlive = CInt(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue)
            if mosquitto_property_read_int16(properties, keepAlive, &wanted, false) != nil {
                // 0 is never.
                connection.keepAlive = wanted == 0 ? 86_400 : Int(wanted)
            }
            connection.events.append(.accepted)
        }
        mosquitto_disconnect_v5_callback_set(client) { _, object, reason, _ in
            guard let connection = BrokerConnection.from(object) else { return }
            // The broker's own reasons, of MQTT, are 0x80 and above.
            if reason >= 0x80 {
                connection.events.append(.ended(.refused(String(cString: mosquitto_reason_string(reason)))))
            }
        }
        mosquitto_subscribe_callback_set(client) { _, object, _, count, qualities in
            guard let connection = BrokerConnection.from(object) else { return }
            let isGranted = count > 0 && qualities.map { $0[0] < 0x80 } == true
            connection.events.append(
                isGranted ? .subscribed : .ended(.refused("the panel may not subscribe to its requests")))
        }
        mosquitto_publish_v5_callback_set(client) { _, object, message, reason, _ in
            guard let connection = BrokerConnection.from(object) else { return }
            let text = reason >= 0x80 ? String(cString: mosquitto_reason_string(reason)) : nil
            let number = connection.numbers.removeValue(forKey: message)
            if number != nil || text != nil {
                connection.events.append(.acknowledged(number: number ?? 0, reason: text))
            }
        }
        mosquitto_message_v5_callback_set(client) { _, object, message, properties in
            guard let connection = BrokerConnection.from(object), let message = message?.pointee,
                let topic = message.topic, !message.retain
            else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            connection.events.append(
                .message(
                    BrokerMessage(
                        topic: String(cString: topic), payload: Array(payload),
                        responseTopic: BrokerConnection.responseTopic(in: properties),
                        correlation: BrokerConnection.correlation(in: properties))))
        }
    }

    private static func from(_ object: UnsafeMutableRawPointer?) -> BrokerConnection? {
        object.map { Unmanaged<BrokerConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func responseTopic(in properties: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard mosquitto_property_read_string(properties, CInt(MQTT_PROP_RESPONSE_TOPIC.rawValue), &text, false) != nil
        else { return nil }
        defer { free(text) }
        return text.map { String(cString: $0) }
    }

    private static func correlation(in properties: OpaquePointer?) -> [UInt8]? {
        var (bytes, count): (UnsafeMutableRawPointer?, UInt16) = (nil, 0)
        let found = mosquitto_property_read_binary(
            properties, CInt(MQTT_PROP_CORRELATION_DATA.rawValue), &bytes, &count, false)
        guard found != nil else { return nil }
        defer { free(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
}

extension mosq_err_t {
    var code: CInt { CInt(rawValue) }
}
