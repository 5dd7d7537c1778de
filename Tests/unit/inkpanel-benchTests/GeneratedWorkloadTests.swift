// SPDX-License-Identifier: Apache-2.0
import Geometry
import Testing

@testable import inkpanel_bench

@Suite("Generated workloads")
struct GeneratedWorkloadTests {
    @Test("points are on the page and on the grid of 1/64 px", arguments: WorkloadKind.allCases)
    func points(kind: WorkloadKind) {
        let workload = RasterWorkload(kind, scribbleCount: 12)
        #expect(workload.name == kind.rawValue && workload.page == kind.page)
        let (width, height) = (Float(kind.page.width), Float(kind.page.height))
        #expect(
            workload.points.allSatisfy { point in
                0...width ~= point.x && 0...height ~= point.y && point.x * 64 == (point.x * 64).rounded()
                    && point.y * 64 == (point.y * 64).rounded()
            })
        #expect(workload.fills.count == (kind == .quads ? 12 * 199 : 12))
        #expect(workload.contours.map(\.count).min() ?? 0 >= 4)
    }

    @Test("quads are pieces of the strokes of redraw")
    func pieces() {
        let quads = RasterWorkload(.quads, scribbleCount: 3)
        let redraw = RasterWorkload(.redraw, scribbleCount: 3)
        // The first points of a piece are those of a side, which the outline starts with.
        for stroke in 0..<3 {
            for piece in [0, 1, 100, 198] {
                let points = quads.points[quads.contours[stroke * 199 + piece]]
                let outline = redraw.points[redraw.contours[stroke]]
                #expect(points.prefix(3) == outline.dropFirst(piece * 2).prefix(3))
            }
        }
    }

    @Test("signature has pieces 5 to 40 px long and 2 to 6 px wide")
    func signature() {
        let workload = RasterWorkload(.signature)
        #expect(workload.fills.count == 600)
        for contour in workload.contours {
            let side = workload.points[contour].prefix(contour.count / 2)
            let other = workload.points[contour].suffix(contour.count / 2).reversed()
            let centre = zip(side, other).map { ($0 + $1) / 2 }.map { Point(x: Double($0.x), y: Double($0.y)) }
            let length = zip(centre, centre.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
            #expect(4.9...40.1 ~= length)
            #expect(zip(side, other).allSatisfy { 1.9...6.1 ~= (($0 - $1) * ($0 - $1)).sum().squareRoot() })
        }
    }

    @Test(
        "workloads are the same on every machine: FNV-1a of the file with eight scribbles",
        arguments: [
            (.signature, 0x4396_4F35_B817_0B6B), (.quads, 0x1256_0ED1_5D8B_CAD8), (.redraw, 0xA83E_CD61_C3D5_FACC),
            (.big, 0xBD5D_073F_08FA_00EF), (.hair, 0x9F36_7BCA_2DFB_F16B),
        ] as [(WorkloadKind, UInt64)])
    func bytes(kind: WorkloadKind, expected: UInt64) {
        let hash = RasterWorkload(kind, scribbleCount: 8).encoded.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        #expect(hash == expected)
    }
}
