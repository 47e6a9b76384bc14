import Testing

@testable import GPSDSource

/// What the scan notes for the gate and for sky reports.
@Suite struct JSONFactsTests {
    private func facts(_ text: String) throws -> JSONScanner.Facts {
        try #require(JSONScanner.facts(of: Array(text.utf8)))
    }

    @Test func onlyTheOutermostObjectsClassesCount() throws {
        #expect(try facts("{}").classKeys == 0)
        #expect(try facts(#"{"class":"TPV"}"#).classKeys == 1)
        #expect(try facts(#"{"class":"TPV","class":"SKY"}"#).classKeys == 2)
        #expect(try facts(#"{"class":"TPV","class":null,"class":{}}"#).classKeys == 3)
        #expect(try facts(#"{"a":{"class":1},"b":[{"class":2}],"c":"class","class ":3,"Class":4}"#).classKeys == 0)
    }

    @Test func satellitesAreAListOrNothing() throws {
        #expect(try facts(#"{"satellites":[]}"#).hasSatellites)
        #expect(try facts(#"{"satellites" : [{"PRN":1}]}"#).hasSatellites)
        #expect(try !facts(#"{"satellites":7}"#).hasSatellites)
        #expect(try !facts(#"{"satellites":"["}"#).hasSatellites)
        #expect(try !facts(#"{"a":{"satellites":[]}}"#).hasSatellites)
        #expect(try !facts("{}").hasSatellites)
    }

    @Test func countsAreWholeNumbersOrNothing() throws {
        let plain = try facts(#"{"nSat":9,"uSat":5}"#)
        #expect(plain.satellitesVisible == 9)
        #expect(plain.satellitesUsed == 5)
        #expect(try facts(#"{"uSat" : 0 }"#).satellitesUsed == 0)
        #expect(try facts(#"{"uSat":-3}"#).satellitesUsed == -3)
        for value in [#""5""#, "5.0", "5e0", "99999999999999999999", "null", "true", "[5]", #"{"uSat":5}"#] {
            #expect(try facts(#"{"nSat":\#(value),"uSat":\#(value)}"#).satellitesUsed == nil, "\(value)")
            #expect(try facts(#"{"nSat":\#(value),"uSat":\#(value)}"#).satellitesVisible == nil, "\(value)")
        }
        #expect(try facts(#"{"a":{"uSat":5}}"#).satellitesUsed == nil)
    }
}
