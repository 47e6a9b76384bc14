import Glibc
import StrictTOML

/// Whether a file is one that nobody but root and the daemon can change: whoever writes the policy decides who may
/// know.
struct TrustedOwner {
    let daemonUID: uid_t

    func check(_ status: stat) throws(Refusal) {
        guard status.st_uid == 0 || status.st_uid == daemonUID else {
            throw Refusal(
                "belongs to uid \(status.st_uid), who could let anyone know the position",
                remedy: "run chown root on it")
        }
        let others = [(S_IWGRP, "its group"), (S_IWOTH, "everyone")].filter { status.st_mode & $0.0 != 0 }.map(\.1)
        guard others.isEmpty else {
            throw Refusal(
                "may be changed by \(others.joined(separator: " and ")), who could let anyone know the position",
                remedy: "run chmod go-w on it")
        }
    }
}
