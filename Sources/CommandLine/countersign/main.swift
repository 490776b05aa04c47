import CountersignCommandLine

await Countersign.main(with: .standard)
