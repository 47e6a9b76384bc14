import Authorization
import Glibc
import ServiceKit

/// Looks up the users and groups of the system by NSS.
///
/// A look-up may block on slow directory services, so it must not run on an event loop.
package struct SystemNames: NameLookup {
    package init() {}

    package func uid(ofUser name: String) throws(NameLookupError) -> UInt32? {
        try find { room in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let code = getpwnam_r(name, &entry, &room, room.count, &found)
            return (code, found?.pointee.pw_uid)
        }
    }

    /// - Returns: `nil` if no user has the uid.
    package func name(ofUser uid: UInt32) throws(NameLookupError) -> String? {
        try find { room in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let code = getpwuid_r(uid, &entry, &room, room.count, &found)
            return (code, found?.pointee.pw_name.map { String(cString: $0) })
        }
    }

    /// - Returns: the primary group and the others; none if no user has the uid.
    package func groups(ofUser uid: UInt32) throws(NameLookupError) -> Set<UInt32> {
        let account: (name: String, group: UInt32)? = try find { room in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let code = getpwuid_r(uid, &entry, &room, room.count, &found)
            return (code, found.map { (String(cString: $0.pointee.pw_name), $0.pointee.pw_gid) })
        }
        guard let account else { return [] }
        var count: CInt = 64
        while true {
            var groups = [gid_t](repeating: 0, count: Int(count))
            let room = count
            if getgrouplist(account.name, account.group, &groups, &count) >= 0 {
                return Set(groups.prefix(Int(count)))
            }
            // The count is now what is needed.
            guard count > room, count <= Self.mostGroups else { throw NameLookupError("there are too many") }
        }
    }

    /// The kernel's NGROUPS_MAX.
    private static let mostGroups: CInt = 65_536

    package func gid(ofGroup name: String) throws(NameLookupError) -> UInt32? {
        try find { room in
            var entry = Glibc.group()
            var found: UnsafeMutablePointer<Glibc.group>?
            let code = getgrnam_r(name, &entry, &room, room.count, &found)
            return (code, found?.pointee.gr_gid)
        }
    }

    /// The maximum size of an entry, bytes; groups can have many members.
    private static let largest = 1 << 22

    private func find<Value>(
        _ look: (inout [CChar]) -> (code: CInt, value: Value?)
    ) throws(NameLookupError) -> Value? {
        var size = 4096
        while true {
            var room = [CChar](repeating: 0, count: size)
            let (code, value) = look(&room)
            switch code {
            case 0: return value
            // Some directory services report a missing entry by these errors.
            case ENOENT, ESRCH: return nil
            case EINTR: continue
            case ERANGE where size < Self.largest: size *= 2
            default: throw NameLookupError(TextFile.reason(code))
            }
        }
    }
}

/// Looks up the numbers of users and groups by name.
package protocol NameLookup: Sendable {
    /// - Returns: `nil` if no user has that name.
    func uid(ofUser name: String) throws(NameLookupError) -> UInt32?

    /// - Returns: `nil` if no group has that name.
    func gid(ofGroup name: String) throws(NameLookupError) -> UInt32?
}

/// A look-up failed, so that it is unknown whether the name exists.
package struct NameLookupError: Error, CustomStringConvertible {
    /// The system's error message.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}

/// A user or a group as written in the policy.
enum AccountName: Sendable, Hashable {
    case number(UInt32)
    case name(String)
}

extension Rule<AccountName> {
    /// A name, or a number as an integer or as a string.
    ///
    /// - Parameter kind: `user` or `group`.
    /// - Parameter number: The term for its number.
    static func account(_ kind: String, _ number: String) -> Rule {
        Rule(accepts: "the name of a \(kind) in quotes or a \(number)") { node throws(Refusal) in
            switch node {
            case .integer(let value):
                guard let value = UInt32(exactly: value) else { throw Refusal("\(value) is out of range") }
                return .number(value)
            case .text(let text):
                guard !text.isEmpty else { throw Refusal("is empty") }
                guard text.utf8.allSatisfy(\.isDigit) else { return .name(text) }
                // Some programs read a leading zero as octal.
                guard let value = UInt32(text), String(value) == text else {
                    throw Refusal("\(text.quoted) is not a \(number)")
                }
                return .number(value)
            default: throw Refusal(node, isNot: "the name or number of a \(kind)")
            }
        } written: { account in
            switch account {
            case .number(let value): "\(value)"
            case .name(let name): name.quoted
            }
        }
    }
}

extension TableReader {
    /// The uid of the table's key `user`.
    func uid(of account: AccountName, _ names: any NameLookup) throws(ConfigurationError) -> UInt32 {
        try number(of: account, "user", overflow: "nobody", names.uid)
    }

    /// The gid of the table's key `group`.
    func gid(of account: AccountName, _ names: any NameLookup) throws(ConfigurationError) -> UInt32 {
        try number(of: account, "group", overflow: "nogroup", names.gid)
    }

    /// - Parameter kind: `user` or `group`, which is also the key.
    private func number(
        of account: AccountName, _ kind: String, overflow: String,
        _ find: (String) throws(NameLookupError) -> UInt32?
    ) throws(ConfigurationError) -> UInt32 {
        let place = address.appending(kind)
        let number: UInt32
        switch account {
        case .number(let value): number = value
        case .name(let name):
            var found: UInt32?
            do {
                found = try find(name)
            } catch {
                throw document.error(
                    at: place, "the \(kind) \(name.quoted) cannot be looked up: \(error.reason)",
                    "write the number or repair the system's name service")
            }
            guard let found else {
                throw document.error(
                    at: place, "the system has no \(kind) \(name.quoted)", "correct the name or remove the rule")
            }
            number = found
        }
        // The kernel uses the overflow uid for users that it cannot map, and the highest number for "none".
        guard number != Principal.overflowUID, number != UInt32.max else {
            throw document.error(
                at: place, "\(number) is the overflow id (\(overflow)), which stands for any \(kind)",
                "name another \(kind)")
        }
        return number
    }
}
