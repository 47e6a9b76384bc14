#if canImport(OpenCombine)
    import Foundation
    @_spi(Programs) import LocationKit
    @_spi(Programs) import LocationKitCombine
    import OpenCombine
    import Synchronization
    import Testing

    @Suite struct CombineCancellationTests {
        let source = CombineSource()

        @Test func nothingIsDeliveredAfterCancelling() {
            let recipient = CombineRecipient<Int>()
            source.observation().subscribe(recipient)
            recipient.request(.unlimited)
            let observer = source.observers.first
            source.publish(1)
            recipient.cancel()
            #expect(source.observers.isEmpty)
            observer?.handle(.immediate) { 2 }
            recipient.request(.unlimited)
            #expect(recipient.values == [1], "not even what is on its way")
            #expect(source.observers.isEmpty, "and nothing begins again")
            #expect(!recipient.hasEnded)
        }

        @Test func aWaitingValueIsNotDeliveredAfterCancelling() {
            let recipient = CombineRecipient<Int>()
            source.observation().subscribe(recipient)
            recipient.request(.max(1))
            source.publish(1)
            source.publish(2)
            recipient.cancel()
            recipient.request(.max(1))
            #expect(recipient.values == [1])
        }

        @Test func aSubscriberCancelsFromWithinReceiving() {
            let recipient = CombineRecipient<Int> { [source] recipient, number in
                source.publish(number + 1)
                recipient.cancel()
                return .unlimited
            }
            source.observation().subscribe(recipient)
            recipient.request(.unlimited)
            source.publish(1)
            #expect(recipient.values == [1])
            #expect(source.observers.isEmpty)
        }

        @Test func cancellingAtThePresentValueObservesNothing() {
            let recipient = CombineRecipient<Int> { recipient, _ in
                recipient.cancel()
                return .none
            }
            source.observation(present: { 7 }).subscribe(recipient)
            recipient.request(.unlimited)
            #expect(recipient.values == [7])
            #expect(source.additions == 0)
        }

        @Test func cancellingWhileTheObserverIsAddedRemovesIt() {
            let recipient = CombineRecipient<Int>()
            source.observation(onAddition: { recipient.cancel() }).subscribe(recipient)
            recipient.request(.unlimited)
            #expect(source.additions == 1)
            #expect(source.observers.isEmpty)
        }

        @Test func cancellingLetsTheSubscriberGo() {
            weak var gone: CombineRecipient<Int>?
            do {
                let recipient = CombineRecipient<Int>()
                gone = recipient
                source.observation().subscribe(recipient)
                recipient.request(.unlimited)
                recipient.cancel()
            }
            #expect(gone == nil)
        }

        @Test func aSinkThatIsDroppedObservesNoMore() {
            do {
                let sink = source.observation().sink { _ in }
                withExtendedLifetime(sink) { #expect(source.observers.count == 1) }
            }
            #expect(source.observers.isEmpty)
        }

        @Test func valuesFromManyThreadsNeverOverlap() {
            let recipient = CombineRecipient<Int> { recipient, _ in
                recipient.request(.max(1))
                return .none
            }
            source.observation().subscribe(recipient)
            recipient.request(.max(1))
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 1...2_000 { source.publish(thread * 10_000 + number) }
            }
            #expect(!recipient.hasOverlapped)
            #expect(recipient.values.count <= 8_000)
            #expect(recipient.values.contains { $0 % 10_000 == 2_000 }, "the last one waits and is delivered")
            #expect(Set(recipient.values).count == recipient.values.count, "none is delivered twice")
        }

        @Test func cancellingOnAnotherThreadIsSafeAtAnyMoment() {
            for _ in 1...300 {
                let source = CombineSource()
                let recipient = CombineRecipient<Int> { _, _ in .none }
                source.observation().subscribe(recipient)
                DispatchQueue.concurrentPerform(iterations: 3) { thread in
                    switch thread {
                    case 0: recipient.request(.unlimited)
                    case 1: source.publish(1)
                    default: recipient.cancel()
                    }
                }
                #expect(source.observers.isEmpty)
                #expect(recipient.values.count <= 1)
            }
        }
    }
#endif
