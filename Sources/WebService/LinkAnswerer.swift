package import CallService
import LocationInterface
import SystemSupport
package import Varlink
import WebInterface

/// Answers the calls of `org.locationd.web` on one socket.
package struct LinkAnswerer: CallAnswerer {
    let server: WebServer
    /// Whether those who connect here may administer the service.
    let isForAdministrators: Bool

    package let description = ServiceDescription(
        vendor: "locationd", product: "locationd-web", version: Release.version, url: "",
        interfaces: [WebInterface.description])
    package let interface = WebInterface.name

    package init(_ server: WebServer, isForAdministrators: Bool) {
        (self.server, self.isForAdministrators) = (server, isForAdministrators)
    }

    package func request(_ call: Call) throws(ErrorReply) {
        guard call.method == WebInterface.Method.createLink else { throw .methodNotFound(call.method) }
        _ = try call.parameters(as: NoParameters.self)
    }

    package func answer(
        _ request: Void, for uid: UInt32, _ replies: CallReplies
    ) async throws(ErrorReply) -> any Encodable & Sendable {
        let principal = WebSessions.Principal(
            uid: uid, isAdministrator: isForAdministrators, name: UserTable.name(of: uid))
        guard let url = try? await server.link(for: principal) else { throw cancelled }
        return WebInterface.Link(url: url)
    }
}
