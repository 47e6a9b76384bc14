import ProgramTestSupport

/// The threads of this process that watch logins.
enum WatchThreads {
    static var count: Int { ThreadCount.named("login-watch") }

    /// Waits until there is none. Each must have told something before: it is not counted until it has got its name.
    /// A thread that ends rings no bell: the kernel takes it away in its own time.
    static func end() async throws {
        try await eventually("no thread is left", within: 20, details: { "there are \(count)" }) { count == 0 }
    }
}
