// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Decodes a value of a Swift type from what was read, so that nothing reads the text a second time.
    ///
    /// Numbers must be exact: a fraction is no `Int`, and a whole number above 2^53 that no double holds no `Double`.
    /// - Throws: `DecodingError`, with the path of the member.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try Value(from: ValueDecoder(value: self, path: .whole))
    }
}

struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "[\(intValue)]"
        self.intValue = intValue
    }
}

/// The path of a value. Its keys are put together when an error needs them.
private indirect enum ValuePath {
    case whole
    case member(ValuePath, any CodingKey)
    case element(ValuePath, Int)

    var keys: [any CodingKey] {
        switch self {
        case .whole: []
        case .member(let path, let key): path.keys + [key]
        case .element(let path, let index): path.keys + [JSONKey(intValue: index)]
        }
    }
}

private struct ValueDecoder: Decoder {
    let value: JSONValue
    let path: ValuePath

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(Members(members: members, path: path))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let list) = value else { throw mismatch([JSONValue].self) }
        return Elements(list: list, path: path)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "a value of another type")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        if let value = value.integer.flatMap({ Value(exactly: $0) }) { return value }
        switch value {
        case .integer, .number:
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "the number is no \(Value.self)"))
        default: throw mismatch(Value.self)
        }
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let flag = value.flag else { throw mismatch(type) }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.text else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        if let number = value.number { return number }
        guard case .integer = value else { throw mismatch(type) }
        throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "no double holds the number"))
    }

    /// The nearest one.
    func decode(_ type: Float.Type) throws -> Float {
        let value = Float(try decode(Double.self))
        guard value.isFinite else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "no float is near"))
        }
        return value
    }

    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let path: ValuePath

    var codingPath: [any CodingKey] { path.keys }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    private func member(_ name: String) -> JSONValue? {
        // Swift takes U+212A (kelvin) for a K, whose UTF-8 is shorter; other readers do not.
        guard let index = members.index(forKey: name), members[index].key.utf8.count == name.utf8.count else {
            return nil
        }
        return members[index].value
    }

    private func decoder(_ key: some CodingKey) throws -> ValueDecoder {
        guard let value = member(key.stringValue) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "it is missing"))
        }
        return ValueDecoder(value: value, path: .member(path, key))
    }

    func contains(_ key: Key) -> Bool { member(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).decode(type) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: decoder(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(JSONKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

/// The elements of a list.
private struct Elements: UnkeyedDecodingContainer {
    let list: [JSONValue]
    let path: ValuePath
    private(set) var currentIndex = 0

    init(list: [JSONValue], path: ValuePath) {
        self.list = list
        self.path = path
    }

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { list.count }
    var isAtEnd: Bool { currentIndex == list.count }

    private func decoder() throws -> ValueDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSONValue.self,
                .init(codingPath: path.keys + [JSONKey(intValue: currentIndex)], debugDescription: "the list ends"))
        }
        return ValueDecoder(value: list[currentIndex], path: .element(path, currentIndex))
    }

    private mutating func next<Value>(_ decode: (ValueDecoder) throws -> Value) throws -> Value {
        let value = try decode(decoder())
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try decoder().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.decode(type) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try Value(from: $0) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next { try $0.container(keyedBy: type) } }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

extension DecodingError {
    /// The path of the member, such as `policy.minima.length` or `prompt[2]`; empty for the whole value.
    package var memberPath: String {
        let keys: [any CodingKey]
        switch self {
        case .keyNotFound(let key, let context): keys = context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            keys = context.codingPath
        @unknown default: keys = []
        }
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return path
    }

    /// The fault of a value, and its place.
    package var reason: String {
        let place = memberPath.isEmpty ? "the value" : memberPath
        switch self {
        case .keyNotFound, .valueNotFound: return "\(place) is missing"
        case .typeMismatch: return "\(place) has another type than expected"
        case .dataCorrupted: return "\(place) does not fit, or is not one of the values allowed"
        @unknown default: return "\(place) cannot be decoded"
        }
    }
}
