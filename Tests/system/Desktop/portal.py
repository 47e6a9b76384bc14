"""A program in a sandbox, as Flatpak makes it for the portal: a namespace of mounts with `.flatpak-info`."""

from desktop import PROGRAM

INFO = "[Application]\nname={}\nruntime=runtime/org.example.Platform/x86_64/1\n\n[Instance]\ninstance-id=1\n"
PATH = "/home/carol/flatpak-info"
#: No more of the machine than a program of the person needs; the system's bus is not there. The portal reads what bwrap
#: says of the process.
SANDBOX = """
instance="$XDG_RUNTIME_DIR/.flatpak/1" && mkdir -p "$instance"
exec bwrap --unshare-user --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib \\
    --symlink usr/lib64 /lib64 --ro-bind /etc /etc --proc /proc --dev /dev --tmpfs /tmp \\
    --bind "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR" \\
    --ro-bind "$1" /.flatpak-info --info-fd 3 python3 "$2" "$3" 3>"$instance/bwrapinfo.json"
"""


def asks(desktop, application):
    """Starts a program that asks for the position there."""
    desktop.machine.write(PATH, INFO.format(application))
    return desktop.start("sandboxed", "sh", "-c", SANDBOX, "sandbox", PATH, PROGRAM, application)
