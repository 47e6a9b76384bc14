import Testing

/// Tests that start threads to watch logins, and count them: one after the other.
@Suite(.serialized, .timeLimit(.minutes(10))) enum LoginTests {}
