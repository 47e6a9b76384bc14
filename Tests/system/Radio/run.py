"""locationd-nearby with the kernel's radios: a machine under emulation, whose mac80211_hwsim has six, four of them access points.

    run.py --programs DIR [--folder DIR] [MANAGER ...]

For each manager of wireless networks (networkmanager, wpa_supplicant, iwd; all without a name) the machine boots once, and `inside.py` tries
the programs there. It takes root, mmdebstrap, qemu-system-x86 and cpio.
Exit status: 0 if all holds, 1 if not.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
MANAGERS = ("networkmanager", "wpa_supplicant", "iwd")
PACKAGES = ("dbus,wpasupplicant,hostapd,iw,iwd,network-manager,kmod,iproute2,procps,python3,rfkill,udev,util-linux,libsqlite3-0,libssl3,"
            "libgps28,libcurl4")
MODULES = ("mac80211_hwsim", "mac80211", "cfg80211", "rfkill", "libarc4", "virtio", "virtio_ring",
           # What iwd has the kernel compute.
           "af_alg", "algif_hash", "algif_skcipher", "algif_aead", "cmac", "md4", "sha512_generic", "des_generic", "libdes", "ecb", "ctr", "ccm")
#: Seconds for one machine, which is emulated.
PATIENCE = 900


def prepare(folder):
    """The kernel and the tree of Debian 12, made once. Returns the kernel and the tree."""
    folder.mkdir(parents=True, exist_ok=True)
    kernel, tree, stamp = folder / "kernel", folder / "tree", folder / "packages"
    if not kernel.exists():
        depends = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True, check=True).stdout
        image = next(line.split()[-1] for line in depends.splitlines() if "Depends:" in line)
        subprocess.run(["apt-get", "download", "-q", image], cwd=folder, check=True)
        [package] = folder.glob(f"{image}_*.deb")
        subprocess.run(["dpkg", "-x", package, folder / "kernel.new"], check=True)
        package.unlink()
        (folder / "kernel.new").rename(kernel)
    if not stamp.exists() or stamp.read_text() != PACKAGES:
        shutil.rmtree(tree, ignore_errors=True)
        subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", '--aptopt=Apt::Install-Recommends "false"',
                        '--aptopt=Acquire::Check-Valid-Until "false"', f"--include={PACKAGES}", "bookworm", tree], check=True)
        for surplus in ("usr/share/doc", "usr/share/locale", "usr/share/man", "var/cache/apt", "var/lib/apt/lists"):
            shutil.rmtree(tree / surplus, ignore_errors=True)
        stamp.write_text(PACKAGES)
    [modules] = (kernel / "lib/modules").iterdir()
    target = tree / "lib/modules" / modules.name
    target.mkdir(parents=True, exist_ok=True)
    for name in MODULES:
        # What is not there as a module is part of the kernel.
        for module in modules.rglob(f"{name}.ko"):
            shutil.copy(module, target)
    for name in ("modules.builtin", "modules.order"):
        shutil.copy(modules / name, target)
    [image] = (kernel / "boot").glob("vmlinuz-*")
    return image, tree


def boot(image, tree, folder, manager):
    """Runs one machine to its end. Returns whether all held there."""
    (tree / "manager").write_text(manager)
    with open(folder / "initrd.gz", "wb") as initrd:
        find = subprocess.Popen(["find", "."], cwd=tree, stdout=subprocess.PIPE)
        cpio = subprocess.Popen(["cpio", "-o", "-H", "newc", "--quiet"], cwd=tree, stdin=find.stdout, stdout=subprocess.PIPE)
        subprocess.run(["gzip", "-1"], stdin=cpio.stdout, stdout=initrd, check=True)
        if find.wait() or cpio.wait():
            sys.exit("the machine's file system could not be packed")
    command = ["qemu-system-x86_64", "-M", "q35", "-m", "2500", "-nographic", "-no-reboot", "-kernel", image, "-initrd", folder / "initrd.gz",
               "-append", "console=ttyS0 quiet rdinit=/init", "-net", "none"]
    machine = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace", timeout=PATIENCE)
    print(f"== {manager}\n{machine.stdout}", flush=True)
    return "== all held" in machine.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of locationd, locctl and locationd-nearby, linked statically")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(".build/radio"), help="where the machine is made")
    parser.add_argument("managers", nargs="*", metavar="MANAGER")
    arguments = parser.parse_args()
    managers = arguments.managers or MANAGERS
    if unknown := set(managers) - set(MANAGERS):
        sys.exit(f"there is no manager {', '.join(sorted(unknown))}")
    image, tree = prepare(arguments.folder)
    for name in ("locationd", "locctl", "locationd-nearby"):
        shutil.copy(arguments.programs / name, tree / "usr/bin")
    for name in ("init", "inside.py"):
        shutil.copy(HERE / name, tree / name)
    failed = [manager for manager in managers if not boot(image, tree, arguments.folder, manager)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


main()
