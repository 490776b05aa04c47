#if os(Linux)
    import Foundation

    /// The writable memory of another process, searched as a debugger of the same machine could.
    package struct ProcessMemory {
        package struct Hit: CustomStringConvertible {
            package let spelling: String
            package let region: String
            package let address: UInt

            package var description: String { "“\(spelling)” at \(String(address, radix: 16)) in \(region)" }
        }

        package let process: Int32

        package init(process: Int32) { self.process = process }

        /// Returns the places that hold one of the texts.
        ///
        /// - Parameter inLocked: true to look also into the memory that `Secret` locks, which is left out of core dumps and so is
        ///   marked `dd`.
        package func places(of texts: [String], inLocked: Bool = false) throws -> [Hit] {
            try places(of: texts.map { ($0, Array($0.utf8)) }, inLocked: inLocked)
        }

        /// Returns the places that hold one of the byte strings, by their names.
        package func places(of sought: [(name: String, bytes: [UInt8])], inLocked: Bool) throws -> [Hit] {
            let descriptor = open("/proc/\(process)/mem", O_RDONLY)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            defer { close(descriptor) }
            var hits: [Hit] = []
            for region in try regions(inLocked) {
                var bytes = [UInt8](repeating: 0, count: region.count)
                var done = 0
                while done < bytes.count {
                    let read = bytes.withUnsafeMutableBytes {
                        pread(descriptor, $0.baseAddress! + done, $0.count - done, off_t(region.start + UInt(done)))
                    }
                    if read <= 0 { break }
                    done += read
                }
                hits += bytes.withUnsafeBytes { bytes in
                    sought.flatMap { name, wanted in
                        Self.offsets(of: wanted, in: UnsafeRawBufferPointer(rebasing: bytes[..<done])).map {
                            Hit(spelling: name, region: region.name, address: region.start + UInt($0))
                        }
                    }
                }
            }
            return hits
        }

        private static func offsets(of sought: [UInt8], in bytes: UnsafeRawBufferPointer) -> [Int] {
            sought.withUnsafeBufferPointer { sought in
                var found: [Int] = []
                var from = 0
                while bytes.count - from >= sought.count,
                    let hit = memchr(bytes.baseAddress! + from, Int32(sought[0]), bytes.count - from - sought.count + 1)
                {
                    from = UnsafeRawPointer(hit) - bytes.baseAddress!
                    if memcmp(hit, sought.baseAddress!, sought.count) == 0 { found.append(from) }
                    from += 1
                }
                return found
            }
        }

        private func regions(_ inLocked: Bool) throws -> [(start: UInt, count: Int, name: String)] {
            // A file of /proc has no size, and String(contentsOfFile:) reads only its beginning.
            let handle = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/smaps"))
            let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
            var regions: [(start: UInt, count: Int, name: String)] = []
            var current: (start: UInt, count: Int, name: String)?
            for line in text.split(separator: "\n") {
                let fields = line.split(separator: " ", maxSplits: 5)
                let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                if fields.count >= 5, bounds.count == 2 {
                    let name = fields.count > 5 ? fields[5].trimmingCharacters(in: .whitespaces) : ""
                    let isWritable = fields[1].hasPrefix("rw")
                    current = isWritable ? (bounds[0], Int(bounds[1] - bounds[0]), name) : nil
                } else if line.hasPrefix("VmFlags:"), let region = current {
                    if inLocked || !line.split(separator: " ").contains("dd") { regions.append(region) }
                    current = nil
                }
            }
            return regions
        }
    }
#endif
