import ProgramTestSupport
import Testing

@testable import Delivery

/// TLS with the real Mosquitto, and certificates of the test's own.
@Suite(.timeLimit(.minutes(10))) struct BrokerTLSTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func openssl(_ arguments: String...) async throws {
        let outcome = try await ChildProcess("openssl", arguments).outcome()
        guard outcome.code == 0 else { throw Failure(outcome.output) }
    }

    /// An authority, which signs itself.
    private func makeAuthority(_ name: String) async throws {
        try await openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=\(name)", "-keyout", folder("\(name).key"), "-out", folder("\(name).pem"))
    }

    /// A certificate that an authority has signed.
    private func makeCertificate(_ name: String, by authority: String, for subject: String) async throws {
        try await openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", folder("\(name).key"), "-out", folder("\(name).csr"))
        try folder.write("subjectAltName=\(subject)\n", to: "\(name).ext")
        try await openssl(
            "x509", "-req", "-in", folder("\(name).csr"), "-CA", folder("\(authority).pem"), "-CAkey",
            folder("\(authority).key"), "-CAcreateserial", "-days", "2", "-extfile", folder("\(name).ext"), "-out",
            folder("\(name).pem"))
    }

    private func broker(_ certificate: String, _ further: [String] = []) async throws -> Mosquitto {
        let broker = try Mosquitto(
            [
                "allow_anonymous true", "cafile \(folder("ca.pem"))", "certfile \(folder("\(certificate).pem"))",
                "keyfile \(folder("\(certificate).key"))",
            ] + further)
        try await broker.start()
        return broker
    }

    private func reason(_ settings: BrokerSettings) async throws -> String {
        var reason = ""
        try await ClientRun(settings).run { reason = try await $0.awaitReason() }
        return reason
    }

    private func reason(_ settings: BrokerSettings, has words: String) async throws -> Bool {
        let reason = try await reason(settings)
        if !reason.contains(words) { Issue.record("\(reason)") }
        return reason.contains(words)
    }

    @Test func certificatesAreVerified() async throws {
        try await makeAuthority("ca")
        try await makeAuthority("other")
        try await makeCertificate("good", by: "ca", for: "IP:127.0.0.1")
        try await makeCertificate("elsewhere", by: "ca", for: "DNS:broker.example")
        let good = try await broker("good")
        var settings = try settings(good.port, tls: true)
        settings.tls.authorities = folder("ca.pem")
        try await ClientRun(settings).run { try await $0.awaitConnection() }
        settings.tls.authorities = folder("other.pem")
        #expect(try await reason(settings).contains("cannot be verified; check ca-file, the certificate's dates"))
        settings.tls.authorities = nil
        #expect(try await reason(settings).contains("cannot be verified; check ca-file"))
        settings.tls.authorities = folder("absent.pem")
        #expect(
            try await reason(settings).contains("absent.pem cannot be read: No such file or directory; check ca-file"))
        settings.tls.authorities = folder("ca.key")
        #expect(try await !reason(settings).isEmpty)
        let elsewhere = try await broker("elsewhere")
        var other = try DeliveryTests.settings(elsewhere.port, tls: true)
        other.tls.authorities = folder("ca.pem")
        #expect(try await reason(other).contains("is that of another host; use the host name in the certificate"))
    }

    @Test func clientsCertificateOpensTheDoor() async throws {
        try await makeAuthority("ca")
        try await makeAuthority("other")
        try await makeCertificate("good", by: "ca", for: "IP:127.0.0.1")
        try await makeCertificate("boat", by: "ca", for: "DNS:boat")
        try await makeCertificate("stranger", by: "other", for: "DNS:boat")
        let broker = try await broker("good", ["require_certificate true", "use_identity_as_username true"])
        var settings = try settings(broker.port, tls: true)
        settings.tls.authorities = folder("ca.pem")
        #expect(try await reason(settings, has: "it refuses this client's certificate, or demands one"))
        (settings.tls.certificate, settings.tls.key) = (folder("stranger.pem"), folder("stranger.key"))
        #expect(try await reason(settings, has: "it refuses this client's certificate, or demands one"))
        (settings.tls.certificate, settings.tls.key) = (folder("boat.pem"), folder("boat.key"))
        try await ClientRun(settings).run { run in
            try await run.awaitConnection()
            run.client.publish(BrokerMessage(topic: "a", payload: [0x78], isRetained: true), id: 9, connection: 1)
            try await eventually("it is acknowledged", run.recorder) { $0.contains(.acknowledged(9, connection: 1)) }
        }
    }
}
