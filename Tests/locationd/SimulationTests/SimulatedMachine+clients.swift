import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore
import NIOEmbedded
import ServiceServer
import Varlink

@testable import LocationServer

/// How clients come, and how their bytes go.
extension SimulatedMachine {
    /// - Parameter bridge: the uid of the bridge that connects and serves the client, which is the user's.
    func connect(
        uid: UInt32, _ kind: SocketKind = .location, capacity: Int, servedBy bridge: UInt32? = nil
    ) -> SimulatedClient? {
        guard let service else { return nil }
        nextClient += 1
        let number = nextClient
        let socket = VirtualSocket(loop: time.loop, capacity: capacity) { [weak self] in self?.note($0, of: number) }
        let descriptor = VirtualPeers.descriptor(of: bridge ?? uid, number)
        sockets[descriptor] = socket
        let connection = Connection(
            channel: socket.channel, descriptor: descriptor, sendNow: offer,
            unreadNow: { [unowned self] in sockets[$0].map { $0.unread + $0.waiting } ?? 0 },
            requestLimit: settings.limits.requestSize, encoder: MessageEncoder())
        do {
            try socket.channel.pipeline.syncOperations.addHandler(socket)
            try Listener.admit(connection) { service.accept($0, descriptor: descriptor, socket: kind) }
            _ = socket.channel.connect(to: try SocketAddress(unixDomainSocketPath: "/client"))
        } catch {
            socket.channel.close(promise: nil)
            return nil
        }
        let process = (service.connections.processes as? VirtualProcesses)?.last ?? 0
        let client = SimulatedClient(
            number: number, uid: uid, view: permissions.view(of: uid), kind: kind, socket: socket, process: process)
        client.isServed = bridge != nil
        clients.append(client)
        return client
    }

    /// As send(2) does.
    var offer: SendNow {
        { [unowned self] descriptor, bytes in
            guard let socket = sockets[descriptor], !socket.isClosed else {
                fault("something is sent to \(descriptor), which nobody has")
                return -Int(EBADF)
            }
            return socket.sendNow(bytes)
        }
    }

    private func note(_ happening: VirtualSocket.Happening, of number: Int) {
        switch happening {
        case .message(let bytes): journal.append(.message(number, bytes, at: time.now))
        case .fellBehind: journal.append(.fellBehind(number))
        case .drained: journal.append(.drained(number))
        case .closed: journal.append(.closed(number))
        case .fault(let text): fault("client \(number): \(text)")
        }
    }

    /// Sends a call, or several at once.
    func send(
        _ calls: [(text: String, ask: SimulatedClient.Ask)], from client: SimulatedClient,
        splitting isSplit: Bool = false
    ) {
        for (call, ask) in calls {
            let text = client.isServed ? CallText.served(call, uid: client.uid) : call
            if client.asked.isEmpty { client.headSince = time.awake }
            client.asked.append(ask)
            client.unsent += Array(text.utf8) + [0]
        }
        feed(client, isSplit ? random.integer(in: 0...client.unsent.count) : client.unsent.count)
    }

    func feed(_ client: SimulatedClient, _ count: Int) {
        guard client.socket.isReadingInput, count > 0, !client.isGone else { return }
        let bytes = Array(client.unsent.prefix(count))
        client.unsent.removeFirst(bytes.count)
        client.socket.receive(bytes)
    }
}
