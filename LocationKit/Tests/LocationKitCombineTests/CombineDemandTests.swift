#if canImport(OpenCombine)
    @_spi(Programs) import LocationKit
    @_spi(Programs) import LocationKitCombine
    import OpenCombine
    import Testing

    @Suite struct CombineDemandTests {
        let source = CombineSource()

        @Test func nothingIsRequestedBeforeTheFirstDemand() {
            let recipient = CombineRecipient<Int>()
            source.observation(requestsUpdates: true).subscribe(recipient)
            #expect(source.observers.isEmpty)
            recipient.request(.none)
            #expect(source.observers.isEmpty)
            recipient.request(.max(1))
            #expect(source.observers.map(\.requestsUpdates) == [true])
            recipient.request(.max(1))
            #expect(source.observers.count == 1, "further demand adds nobody")
        }

        @Test func onlyWantedValuesAreDelivered() {
            let recipient = CombineRecipient<Int>()
            source.observation().subscribe(recipient)
            recipient.request(.max(2))
            for number in 1...5 { source.publish(number) }
            #expect(recipient.values == [1, 2])
        }

        @Test func theNewestWaitsAndTheOthersAreDropped() {
            let recipient = CombineRecipient<Int>()
            source.observation().subscribe(recipient)
            recipient.request(.max(1))
            for number in 1...5 { source.publish(number) }
            recipient.request(.max(3))
            #expect(recipient.values == [1, 5])
            source.publish(6)
            source.publish(7)
            source.publish(8)
            #expect(recipient.values == [1, 5, 6, 7])
        }

        @Test func withoutAFilterEverythingIsDelivered() {
            let recipient = CombineRecipient<Int>()
            source.observation().subscribe(recipient)
            recipient.request(.unlimited)
            for number in 1...300 { source.publish(number) }
            #expect(recipient.values == Array(1...300))
        }

        @Test func whatReceivingReturnsIsDemand() {
            let recipient = CombineRecipient<Int> { _, number in number < 3 ? .max(1) : .none }
            source.observation().subscribe(recipient)
            recipient.request(.max(1))
            for number in 1...5 { source.publish(number) }
            #expect(recipient.values == [1, 2, 3])
        }

        @Test func demandFromWithinReceivingIsNoRecursion() {
            let recipient = CombineRecipient<Int> { [source] recipient, number in
                if number < 10_000 { source.publish(number + 1) }
                recipient.request(.max(1))
                return .none
            }
            source.observation().subscribe(recipient)
            recipient.request(.max(1))
            source.publish(1)
            #expect(recipient.values == Array(1...10_000))
            #expect(!recipient.hasOverlapped)
        }

        @Test func everySubscriberHasItsOwnDemand() {
            let slow = CombineRecipient<Int>()
            let fast = CombineRecipient<Int>()
            let observation = source.observation()
            observation.subscribe(slow)
            observation.subscribe(fast)
            slow.request(.max(1))
            fast.request(.unlimited)
            for number in 1...3 { source.publish(number) }
            #expect(slow.values == [1])
            #expect(fast.values == [1, 2, 3])
        }

        @Test func theCurrentValueComesFirstAndRepetitionsAreDropped() {
            let recipient = CombineRecipient<Int>()
            source.observation(present: { 7 }).subscribe(recipient)
            recipient.request(.unlimited)
            #expect(recipient.values == [7])
            for number in [7, 7, 8, 8, 7] { source.publish(number) }
            #expect(recipient.values == [7, 8, 7])
        }

        @Test func aChangeThatIsTakenBackUnseenIsNone() {
            let recipient = CombineRecipient<Int>()
            source.observation(present: { 7 }).subscribe(recipient)
            recipient.request(.max(1))
            source.publish(8)
            source.publish(7)
            recipient.request(.max(2))
            #expect(recipient.values == [7])
            source.publish(9)
            source.publish(10)
            #expect(recipient.values == [7, 9, 10], "what is left out costs no demand")
        }
    }
#endif
