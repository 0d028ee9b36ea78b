within Couplet.Examples;
model EveryJoint "A chain with one joint of each kind, a bushing and a force"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  Mbs.Inertial i;
  Mbs.Prismatic slide(n = {1, 0.2, 0}, q_start = {0.1}, qd_start = {0.3});
  Mbs.Cylindrical turn_slide(n = {0, 1, 0.3}, q_start = {0.2, -0.1}, qd_start = {0.5, 0.4});
  Mbs.Universal cross(n1 = {1, 0, 0}, n2 = {0, 1, 0}, q_start = {0.3, -0.2}, qd_start = {0.6, -0.5});
  Mbs.Planar plane(n = {0, 0, 1}, q_start = {0.1, 0.2, 0.4}, qd_start = {0.3, -0.2, 0.7});
  Mbs.Spherical ball(q_start = {0.2, 0.3, -0.4}, qd_start = {0.5, -0.3, 0.8});
  Mbs.Free flight(q_start = {1, 2, 3, 0.1, 0.2, 0.3}, qd_start = {1, 0, -1, 0.4, -0.6, 0.9});
  Mbs.Bar bar[5](each r = {0.2, 0.1, -0.3});
  Mbs.Body body[6](each m = 1.5, each r = {0.1, -0.05, -0.2}, each I11 = 0.03, each I22 = 0.04,
    each I33 = 0.05, each I21 = 0.004, each I31 = -0.003, each I32 = 0.002);
  Mbs.Bushing bushing(c = {50, 60, 70}, d = {1, 2, 3}, ct = {5, 6, 7}, dt = {0.1, 0.2, 0.3});
  Mbs.AppliedForce wind;
  Mbs.Sensor sensor;
equation
  wind.force = {sin(time), 0.5, 0};
  wind.torque = {0, 0, 0.2};
  connect(i.b, slide.a);
  connect(slide.b, body[1].a);
  connect(slide.b, bar[1].a);
  connect(bar[1].b, turn_slide.a);
  connect(turn_slide.b, body[2].a);
  connect(turn_slide.b, bar[2].a);
  connect(bar[2].b, cross.a);
  connect(cross.b, body[3].a);
  connect(cross.b, bar[3].a);
  connect(bar[3].b, plane.a);
  connect(plane.b, body[4].a);
  connect(plane.b, bar[4].a);
  connect(bar[4].b, ball.a);
  connect(ball.b, body[5].a);
  connect(ball.b, bar[5].a);
  connect(i.b, flight.a);
  connect(flight.b, body[6].a);
  connect(bar[5].b, bushing.a);
  connect(flight.b, bushing.b);
  connect(bar[5].b, wind.a);
  connect(i.b, sensor.a);
  connect(bar[5].b, sensor.b);
  annotation(experiment(StopTime = 1));
end EveryJoint;
