import ServiceKit
import ServiceLifecycle

extension MetricsFileWriter {
    /// A service of the daemon that writes the file.
    func writing(_ text: @escaping @Sendable () async throws -> String) -> any Service {
        Writing(file: self, text: text)
    }

    private struct Writing: Service {
        let file: MetricsFileWriter
        let text: @Sendable () async throws -> String

        func run() async {
            await cancelWhenGracefulShutdown { await file.write(text) }
        }
    }
}
