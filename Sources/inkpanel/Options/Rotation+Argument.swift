// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry

extension Rotation: ExpressibleByArgument {}
