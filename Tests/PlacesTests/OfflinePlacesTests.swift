import LocationModel
import Places
import Testing
