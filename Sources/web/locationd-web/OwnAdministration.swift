import Glibc
@_spi(Programs) import LocationInterface
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// What this process itself may have of an administrator's rights.
enum OwnAdministration {
    /// Whether this is the daemon's socket of administrators, and not that of all programs.
    static func isControlSocket(_ daemon: String) -> Bool { !daemon.hasSuffix("/\(SocketName.location)") }

    /// Whether the daemon takes an administrator's calls from this process without a token: at the socket of
    /// administrators it does from root and from its own user.
    static func needsNoToken(at daemon: String) -> Bool {
        guard isControlSocket(daemon) else { return false }
        var entry = stat()
        let isOwner = lstat(daemon, &entry) == 0 && entry.st_uid == geteuid()
        return geteuid() == 0 || isOwner || UserTable.uid(of: "locationd") == geteuid()
    }

    /// A token for this process's user, from the socket of administrators beside that of all programs; `nil` if the
    /// user is no administrator, or the daemon is not there.
    static func token(beside daemon: String) async -> String? {
        guard let slash = daemon.lastIndex(of: "/"),
            let call = try? MessageEncoder().call(AdminInterface.Method.createToken, CreateTokenParameters())
        else { return nil }
        let control = daemon[...slash] + SocketName.control
        let reply = try? await DaemonCall.replies(to: call, at: String(control), within: 5).last
        guard let reply, reply.error == nil else { return nil }
        return try? reply.parameters(as: CreateTokenReply.self).token
    }
}
