import Glibc

/// Who reads this process's standard output, where that is a pipe: the program that has started it.
@_spi(Programs) public enum OutputReader {
    /// From now on this process ends as soon as nobody reads its standard output any more, whatever it does then: also
    /// if the reader was killed, before this call or later, and without an output that would fail. Nothing is cleaned
    /// up.
    ///
    /// - Returns: false if no thread is left for that.
    @_spi(Programs) public static func exitWithoutReader() -> Bool {
        DetachedThread.start(named: "reader") {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&output, 1, -1) <= 0 {}
            // Handlers of the exit could wait for a thread that reads a hostile file.
            _exit(0)
        }
    }
}
