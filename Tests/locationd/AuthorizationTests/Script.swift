/// What visitors do.
enum Script {
    /// Connects, and keeps the connection until it is let go.
    static let visit = """
        import socket, sys
        hand = socket.socket(fileno=0)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1])
        hand.recv(1)
        """

    /// Connects and, once nudged, ends and leaves the connection to a child, which says so.
    static let bequeath = """
        import os, socket, sys
        hand = socket.socket(fileno=0)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1])
        if hand.recv(1) and os.fork():
            os._exit(0)
        os.close(1)
        os.close(2)
        connection.sendall(b"heir")
        hand.recv(1)
        """

    /// Has a child, whose number it says; ends the child at the first nudge and reaps it at the second.
    static let leaveUnreaped = """
        import os, socket, sys
        hand = socket.socket(fileno=0)
        end, held = os.pipe()
        child = os.fork()
        if not child:
            os.close(held)
            os.read(end, 1)
            os._exit(0)
        hand.sendall(str(child).encode())
        hand.recv(1)
        os.close(held)
        if hand.recv(1):
            os.waitpid(child, 0)
            hand.sendall(b"reaped")
            hand.recv(1)
        """
}
