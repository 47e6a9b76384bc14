import ClientTestSupport
import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// locationd-nearby and a service on the network behind TLS, whose certificate an authority has signed that this
/// machine trusts: for the tests it is mounted in the place of the machine's own, which takes root.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "it takes root"))
struct NearbyEncryptionTests {
    private let folder: TemporaryFolder

    /// Prints its port, and answers every request with a place.
    private static let server = """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        body = b'{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": 60}'
        while True:
            try:
                with context.wrap_socket(listener.accept()[0], server_side=True) as connection:
                    connection.recv(65536)
                    head = "HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n"
                    connection.sendall((head % len(body)).encode() + body)
            except OSError:
                pass
        """

    init() throws {
        folder = try TemporaryFolder()
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
            "/CN=an authority", "-keyout", folder("authority.key"), "-out", folder("authority.crt"))
    }

    private func openssl(_ arguments: String...) throws {
        let program = try LoggedProcess("openssl", arguments)
        guard try program.wait() == 0 else { throw Failure("openssl: \(program.errors)") }
    }

    /// - Parameter name: whom the certificate names.
    private func startServer(_ name: String) throws -> (process: LoggedProcess, port: Int) {
        try folder.write("subjectAltName=\(name)\n", to: "names")
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=a service",
            "-keyout", folder("key"), "-out", folder("request"))
        try openssl(
            "x509", "-req", "-in", folder("request"), "-CA", folder("authority.crt"), "-CAkey", folder("authority.key"),
            "-CAcreateserial", "-days", "1", "-extfile", folder("names"), "-out", folder("certificate"))
        let process = try LoggedProcess("python3", ["-c", Self.server, folder("certificate"), folder("key")])
        let port = try waitUntil("it listens", details: { process.errors }) {
            Int(process.output.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return (process, port)
    }

    /// What became of the requests to a service whose certificate names `name`.
    private func outcome(ofServiceNamed name: String) throws -> [String: Any] {
        let (service, port) = try startServer(name)
        try folder.write(
            "[online]\nurl = \"https://127.0.0.1:\(port)\"\ncontact = \"admin@example.org\"\n", to: "nearby.toml")
        try folder.write(
            #"{"accessPoints": ["#
                + [1, 2].map { #"{"bssid": "00:1a:00:00:0\#($0):00", "signal": -60, "ssid": "home"}"# }.joined(
                    separator: ",")
                + "]}\n", to: "observations")
        let trust = "mount --bind \"$0\" /etc/ssl/certs/ca-certificates.crt && exec \"$@\""
        let program = try LoggedProcess(
            "unshare",
            [
                "--mount", "--propagation", "private", "/bin/sh", "-c", trust, folder("authority.crt"),
                Products.path(of: "locationd-nearby"), "--config", folder("nearby.toml"), "--daemon", folder("absent"),
                "--observations", folder("observations"), "--socket", folder("nearby.sock"), "--control",
                folder("control.sock"), "--store", folder("\(port).sqlite"), "--key", folder("key-of-places"),
            ])
        try waitUntil("it knows places", details: { program.errors }) { program.errors.contains("knows places") }
        let daemon = try UnixSocket(path: folder("nearby.sock"))
        try daemon.write(Array(#"{"method": "org.locationd.provider.Locate", "more": true}"#.utf8) + [0])
        return try waitUntil("the service was asked", details: { program.errors }) {
            let words = ["nearby", "--json", "--nearby-socket", folder("control.sock")]
            let child = try LoggedProcess(Products.command, words)
            guard try child.wait() == 0 else { return nil }
            let state = try JSONSerialization.jsonObject(with: Data(child.output.utf8)) as? [String: Any]
            let online = (state?["state"] as? [String: Any])?["online"] as? [String: Any]
            withExtendedLifetime((service, daemon)) {}
            return online?["lastRequest"] == nil ? nil : online
        }
    }

    @Test func whomTheCertificateNamesIsBelieved() throws {
        let online = try outcome(ofServiceNamed: "IP:127.0.0.1")
        #expect(online["answers"] as? Int == 1 && online["reason"] == nil, "\(online)")
    }

    @Test func certificateOfAnotherNameIsRefused() throws {
        let online = try outcome(ofServiceNamed: "DNS:another.example")
        #expect(online["answers"] as? Int == 0, "\(online)")
        let reason = try #require(online["reason"] as? String)
        #expect(reason.contains("127.0.0.1") || reason.contains("certificate"), "\(reason)")
    }
}
