// Parts that are one rigid body become one; bodies without mass that nothing else hangs on become points.
#pragma once

#include "model/import/foreign_reader.h"
#include "model/import/robot.h"

namespace trammel::model {

// Makes two bodies one. The whole is called like the first of them that has mass, `parent` before `child`;
// ground swallows what is fixed to it. False: they are one already.
bool weld(Robot& robot, int child, int parent);

// The sum of two inertias, about the common centre of mass.
void add_inertial(Inertial& sum, const Inertial& part);

// The whole of what the files' parts are: inertias checked and added up, massless leaves gone. Call it once,
// after all weld()s.
void unite(ForeignReader& reader, Robot& robot);

}  // namespace trammel::model
