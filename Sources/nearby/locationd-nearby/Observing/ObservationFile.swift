import AccessPoints
import Glibc
@_spi(Programs) import LocationModel
import Logging
@_spi(Programs) import SystemSupport

/// Observations from a file or FIFO of JSON lines, as they are written.
///
/// A FIFO is read for ever; a file to its end, and again what is appended to it, or all of it if it is replaced. One
/// thread, `observations`, owns the descriptor.
struct ObservationFile: Sendable {
    /// Bytes of a line: some hundred access points.
    private static let lineLimit = 262_144
    /// Seconds until a file that cannot be opened is tried again.
    private static let pause = 1.0

    let path: String
    let logger: Logger

    /// Delivers observations until the task is cancelled.
    func read(_ deliver: @escaping @Sendable (AccessPointObservation) -> Void) async {
        await DetachedThread.run(named: "observations") { waker in
            {
                var reader = Reader(path: self.path, logger: self.logger, waker: waker, deliver: deliver)
                reader.run()
            }
        } isShort: { reason in
            logger.error("observations cannot be read", metadata: ["reason": "\(reason)"])
        }
    }

    /// The work of the thread.
    private struct Reader {
        let path: String
        let logger: Logger
        let waker: Waker
        let deliver: (AccessPointObservation) -> Void
        private var mistakes = LogPace()

        init(path: String, logger: Logger, waker: Waker, deliver: @escaping (AccessPointObservation) -> Void) {
            (self.path, self.logger, self.waker, self.deliver) = (path, logger, waker, deliver)
        }

        mutating func run() {
            var isFailureLogged = false
            while !waker.isWoken {
                // Open for writing too, a FIFO never ends.
                let descriptor = open(path, (isFIFO ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK)
                guard descriptor >= 0 else {
                    if !isFailureLogged {
                        logger.warning(
                            "observations cannot be read",
                            metadata: ["reason": "\(path): \(String(cString: strerror(errno)))"])
                    }
                    isFailureLogged = true
                    _ = waker.wait(for: -1, events: 0, seconds: ObservationFile.pause)
                    continue
                }
                isFailureLogged = false
                read(descriptor)
                close(descriptor)
            }
        }

        private var isFIFO: Bool {
            var entry = stat()
            return stat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFIFO
        }

        /// Reads until the file is replaced or the thread is to end.
        private mutating func read(_ descriptor: Int32) {
            var splitter = LineSplitter(limit: ObservationFile.lineLimit, overlong: .skip, omitsEmptyLines: true)
            var watch = FileWatch(path: path)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
            defer { buffer.deallocate() }
            while !waker.isWoken {
                // Before reading, so that no change after the end is missed.
                _ = watch?.arm()
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 {
                    splitter.split(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                        applyLine($0)
                    } overlong: {
                        note("a line of more than \(ObservationFile.lineLimit) bytes")
                    }
                    continue
                }
                guard count == 0 || errno == EAGAIN || errno == EINTR, !isReplaced(descriptor) else { return }
                if isFIFO {
                    // Now and then, because it may have been replaced.
                    _ = waker.wait(for: descriptor, events: POLLIN, seconds: 60)
                } else {
                    _ = waker.wait(
                        for: watch?.descriptor ?? -1, events: POLLIN,
                        seconds: watch == nil ? ObservationFile.pause : 3600)
                    _ = watch?.consumeChange()
                }
            }
        }

        /// Whether the path names another file by now, or this one became shorter than what was read of it.
        private func isReplaced(_ descriptor: Int32) -> Bool {
            var (own, named) = (stat(), stat())
            guard fstat(descriptor, &own) == 0, stat(path, &named) == 0 else { return true }
            return own.st_ino != named.st_ino || own.st_dev != named.st_dev
                || own.st_size < lseek(descriptor, 0, SEEK_CUR)
        }

        private mutating func applyLine(_ line: [UInt8]) {
            do throws(ObservationLine.Mistake) {
                let observation = try ObservationLine.observation(line, at: MachineClock.now)
                if observation.accessPoints.contains(where: { !$0.hasPossibleSignal }) {
                    note("a signal that is not from -110 to -1 dBm; its access point is left out")
                }
                deliver(observation)
            } catch {
                note(error.reason)
            }
        }

        /// Without the line, which names access points.
        private mutating func note(_ what: String) {
            guard let count = mistakes.note(at: MachineClock.now) else { return }
            logger.warning("observations cannot be used", metadata: ["reason": "\(what)", "count": "\(count)"])
        }
    }
}
