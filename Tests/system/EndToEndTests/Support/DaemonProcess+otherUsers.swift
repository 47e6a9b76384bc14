import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Varlink

/// Who may know, as the administrator says, and who comes.
extension DaemonProcess {
    typealias Order = AdminInterface.Method

    /// Starts it with a policy.
    convenience init(_ configuration: String = Settings.simulator(), policy: String) throws {
        let folder = try TemporaryFolder()
        try Self.write(policy, in: folder)
        try self.init(configuration, in: folder)
    }

    var policy: String { folder("policy.toml") }
    var decisions: String { state + "/decisions.json" }

    /// Replaces the policy, which is read at the next reload.
    func write(policy: String) throws { try Self.write(policy, in: folder) }

    static func write(_ policy: String, in folder: TemporaryFolder) throws {
        let path = try folder.write(policy, to: "policy.toml")
        // Whatever the tests' own mask is: others must not be able to write it.
        guard chmod(path, 0o644) == 0 else { throw Failure("\(path): \(errno)") }
    }

    /// Somebody comes, on a connection of a new process.
    func connection(uid: UInt32, groups: [UInt32] = [], in place: String? = nil, by path: String? = nil) throws
        -> ClientConnection
    {
        try OtherUserProcess(uid: uid, groups: groups, in: place).connect(to: path ?? socket)
    }

    @discardableResult
    func decide(
        _ authorization: SetAuthorizationParameters.Answer, _ principal: String,
        accuracy: SetAuthorizationParameters.Accuracy? = nil
    ) throws -> AuthorizationChange {
        try administer(
            Order.setAuthorization,
            SetAuthorizationParameters(principal: principal, authorization: authorization, accuracy: accuracy),
            as: AuthorizationChange.self)
    }

    /// Forgets what was asked and decided.
    func forget(_ principal: String) throws {
        try administer(
            Order.resetAuthorization, PrincipalName(principal: principal), as: AuthorizationChange.self)
    }

    func authorizations() throws -> [AuthorizationReport] {
        try administer(Order.listAuthorizations, as: AuthorizationList.self).authorizations
    }

    func clients() throws -> [ClientReport] {
        try administer(Order.listClients, as: ClientList.self).clients
    }

    /// What was noted about a principal, oldest first.
    func history(of principal: String) throws -> [AuditRecord] {
        try administer(Order.getHistory, AuditParameters(principal: principal), as: AuditReply.self).records
    }

    func reload() throws -> ReloadReport {
        try administer(Order.reload, as: ReloadReport.self)
    }
}
