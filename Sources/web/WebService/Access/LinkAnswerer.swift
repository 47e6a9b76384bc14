import Glibc
@_spi(Programs) package import LocationInterface
package import ServiceServer
@_spi(Programs) import SystemSupport
package import Varlink

/// Answers the calls of `org.locationd.web` on one socket.
package struct LinkAnswerer: CallAnswerer {
    let server: WebServer
    /// Whether those who connect here may administer the service.
    let isForAdministrators: Bool
    /// Whether this service may itself administer the daemon, so that an administrator's session needs no token of the
    /// daemon.
    let administersByItself: Bool

    package let description = ServiceDescription(
        vendor: "locationd", product: "locationd-web", version: Release.version, url: "man:locationd-web(8)",
        interfaces: [WebInterface.description])
    package let interface = WebInterface.name

    /// The longest token that is kept, in bytes; the daemon's are shorter.
    private static let tokenLimit = 256

    package init(_ server: WebServer, isForAdministrators: Bool, administersByItself: Bool) {
        (self.server, self.isForAdministrators) = (server, isForAdministrators)
        self.administersByItself = administersByItself
    }

    package func request(_ call: Call) throws(ErrorReply) -> WebInterface.LinkRequest {
        guard call.method == WebInterface.Method.createLink else { throw .methodNotFound(call.method) }
        let request = try call.parameters(as: WebInterface.LinkRequest.self)
        if let token = request.token, token.isEmpty || token.utf8.count > Self.tokenLimit {
            throw .invalidParameter("token", reason: "it has 1 to \(Self.tokenLimit) bytes")
        }
        return request
    }

    package func answer(
        _ request: WebInterface.LinkRequest, for uid: UInt32, _ replies: CallReplies
    ) async throws(ErrorReply) -> any Encodable & Sendable {
        let opener = request.uid ?? uid
        // A link for another user's browser would sign that user in as the one who made the link.
        guard opener == uid || uid == 0 || uid == geteuid() else { throw .permissionDenied }
        let token = isForAdministrators ? request.token : nil
        let principal = WebSessions.Principal(
            uid: uid, isAdministrator: isForAdministrators && (token != nil || administersByItself),
            name: UserTable.name(of: uid), token: token)
        do {
            return WebInterface.Link(
                url: try await server.link(for: principal, opener: opener, byProxy: request.proxy == true))
        } catch is NoProxy {
            throw ErrorReply(WebInterface.Failure.noProxy)
        } catch {
            throw cancelled
        }
    }
}
