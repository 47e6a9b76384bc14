import Testing

@testable import locctl

/// The cache of user names for a screen that is drawn often.
@Suite struct UserNameCacheTests {
    @Test func eachUserIsLookedUpOnce() {
        var asked: [UInt32] = []
        var names = UserNameCache { uid in
            asked.append(uid)
            return uid == 1000 ? "alice" : nil
        }
        for _ in 0..<3 {
            #expect(names.words("uid:1000") == "uid:1000 (alice)")
            #expect(names.words("uid:7") == "uid:7", "nobody has that number")
            #expect(names.words("unit:tide.service") == "unit:tide.service")
        }
        #expect(asked == [1000, 7])
    }
}
