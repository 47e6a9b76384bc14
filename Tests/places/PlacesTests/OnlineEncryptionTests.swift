import Foundation
import Glibc
@_spi(Programs) import LocationInterface
import Places
import ProgramTestSupport
import Testing

/// Where the address says https, nobody but who it names is talked to.
@Suite(.timeLimit(.minutes(10)))
struct OnlineEncryptionTests {
    /// Accepts on its standard input, and answers every request with a place.
    private static let server = """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        listener = socket.socket(fileno=0)
        while True:
            try:
                with context.wrap_socket(listener.accept()[0], server_side=True) as connection:
                    connection.recv(4096)
                    body = sys.argv[3].encode()
                    head = "HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n"
                    connection.sendall((head % len(body)).encode() + body)
            except OSError:
                pass
        """

    @Test func serverWithoutACertificateThatIsTrustedIsRefused() async throws {
        let folder = try TemporaryFolder()
        let certificate = try ChildProcess(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder("key"), "-out",
                folder("cert"),
            ])
        let made = try await certificate.outcome()
        try #require(made.code == 0, "\(made.output)")
        let stub = try LoopbackListener()
        let server = try ChildProcess(
            "python3", ["-c", Self.server, folder("cert"), folder("key"), OnlineBench.town], input: stub.descriptor)
        let settings = try OnlineSettings(
            provider: .nominatim, url: "https://127.0.0.1:\(stub.port)", contact: "tests@example.org", timeout: 60)
        let places = try OnlinePlaces(settings: settings, version: Release.version, logger: RecordedLog().logger)
        let error = await #expect(throws: PlacesError.self) {
            try await places.placemarks(named: "Dachau", locale: nil, limit: 1)
        }
        guard case .network(let words) = error else {
            Issue.record("a server that anybody may be is believed")
            return
        }
        #expect(words.contains("certificate"))
        try await server.end()
    }
}
