@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import Testing

/// A client that does not read is waited for by nobody.
@Suite(.timeLimit(.minutes(10)))
struct SlowClientTests {
    @Test func burstOfFiftyToAPausedReaderLosesNothing() async throws {
        try await TestServer.run { server in
            let paused = try await server.watcher(isFirst: true)
            for number in 1...50 { try server.post(fix: number) }
            for sequence in Int64(101)...150 {
                let update = try await paused.location().update
                #expect(update.location?.value.sequence == sequence)
                #expect(update.dropped == nil)
            }
        }
    }

    /// The kernel's buffer holds about a hundred of them; of all that came later it gets the newest.
    @Test func stalledReaderFindsFewOldLocationsThenTheNewest() async throws {
        try await TestServer.run { server in
            let prompt = try await server.watcher(isFirst: true)
            let stalled = try await server.watcher()
            let last = 600
            for number in 1...last {
                try server.post(fix: number)
                // The prompt one gets each at once, whatever the other does.
                #expect(try await prompt.location().update.location?.value.sequence == 100 + Int64(number))
            }
            let control = try server.connect(.control)
            let behind = try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self)
            #expect(behind.clients.map(\.behind) == [false, true, false])
            #expect(behind.clients.map { $0.dropped > 0 } == [false, true, false])
            var previous: Int64 = 100
            var old = 0
            var lost = 0
            while previous < 100 + Int64(last) {
                let update = try await stalled.location().update
                let sequence = try #require(update.location?.value.sequence)
                #expect(sequence - previous - 1 == Int64(update.dropped ?? 0))
                if update.dropped == nil { old += 1 } else { #expect(sequence == 100 + Int64(last)) }
                lost += update.dropped ?? 0
                previous = sequence
            }
            #expect((50...150).contains(old))
            #expect(old + lost + 1 == last)
            // From here on it is like everybody else.
            try server.post(fix: last + 1)
            #expect(try await stalled.message().text == prompt.location().text)

            let statistics = try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.dropped == lost)
            #expect(statistics.fixes == last + 1)
        }
    }

    @Test func statesAreNotPassedOverForAStalledReader() async throws {
        try await TestServer.run { server in
            let prompt = try await server.watcher(isFirst: true)
            let stalled = try await server.watcher()
            for number in 1...200 {
                try server.post(fix: number)
                _ = try await prompt.location()
            }
            let reasons = ["no satellite", "no antenna", "no power"]
            for reason in reasons {
                server.post(.noFix(device: "/dev/ttyACM0"))
                server.post(.condition(.connected(reason: reason)))
            }
            server.post(.fix(try Sample.fix(201)))
            var told: [String] = []
            var newest: Int64 = 0
            while newest < 301 {
                let update = try await stalled.message().update
                newest = update.location?.value.sequence ?? newest
                if let reason = update.status?.reason, reasons.contains(reason) { told.append(reason) }
            }
            #expect(told == reasons)
        }
    }

    @Test func readerStalledForTooLongIsLetGo() async throws {
        try await TestServer.run {
            $0.settings.limits.stalledTimeout = 5
        } _: { server in
            let prompt = try await server.watcher(isFirst: true)
            let stalled = try await server.watcher()
            let control = try server.connect(.control)
            for number in 1...200 {
                try server.post(fix: number)
                _ = try await prompt.location()
            }
            // It has read nothing; that its end comes is seen by the others.
            try await eventually("it is let go") {
                try await control.call(AdminInterface.Method.listClients)
                    .parameters(as: ClientList.self).clients.count != 3
            }
            let messages = try await stalled.messagesUntilEnd()
            #expect(messages.count > 50)
            try server.post(fix: 201)
            #expect(try await prompt.location().update.location?.value.sequence == 301)
        }
    }

    /// The calls it may have waiting are bounded, not only the answers.
    @Test func callerWhoDoesNotReadAnswersIsToldAndLetGo() async throws {
        try await TestServer.run { server in
            let call = Array("{\"method\":\"org.locationd.location.GetStatus\"}\0".utf8)
            var answers: [Message] = []
            // It is given a second to read why, in which a busy machine may not let it.
            for _ in 0..<60 where answers.last?.error == nil {
                let client = try server.connect()
                _ = try? await client.sendSome(Array(repeatElement(call, count: 20_000).joined()), within: 60)
                answers = try await client.messagesUntilEnd()
                #expect(answers.count < 10_000)
            }
            #expect(answers.last?.error == "org.varlink.service.InvalidParameter")
            #expect(try answers.last?.explained.parameter == "request")
            #expect(try await server.connect().call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test func callerWhoStopsReadingAnswersIsLetGo() async throws {
        try await TestServer.run {
            $0.settings.limits.stalledTimeout = 0.5
        } _: { server in
            let client = try server.connect()
            let call = Array("{\"method\":\"org.locationd.location.GetStatus\"}\0".utf8)
            try await client.send(bytes: Array(repeatElement(call, count: 1_000).joined()))
            let control = try server.connect(.control)
            try await eventually("it is let go") {
                try await control.call(AdminInterface.Method.listClients)
                    .parameters(as: ClientList.self).clients.count != 2
            }
            let answers = try await client.messagesUntilEnd()
            #expect((50..<1_000).contains(answers.count))
        }
    }

    @Test func callerWhoDoesNotReadLateAnswersIsLetGo() async throws {
        try await TestServer.run {
            $0.settings.limits.stalledTimeout = 0.5
        } _: { server in
            let prompt = try await server.watcher(isFirst: true)
            let client = try server.connect()
            let call = Array("{\"method\":\"org.locationd.location.GetLocation\"}\0".utf8)
            try await client.send(bytes: Array(repeatElement(call, count: 300).joined()))
            _ = try await server.connect().call(LocationInterface.Method.getStatus)
            let control = try server.connect(.control)
            // One answer each, more than the socket holds; then it has to read within half a second.
            for number in 1...300 {
                try server.post(fix: number)
                _ = try await prompt.location()
            }
            try await eventually("it is let go") {
                try await control.call(AdminInterface.Method.listClients)
                    .parameters(as: ClientList.self).clients.count != 4
            }
            let answers = try await client.messagesUntilEnd()
            #expect((50...250).contains(answers.count))
        }
    }
}
