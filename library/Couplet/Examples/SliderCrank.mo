within Couplet.Examples;
model SliderCrank "Spatial slider and crank: a spherical joint is cut, three coordinates follow"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  Mbs.Inertial i;
  Mbs.Bar post(r = {0, 0.1, 0.12});
  Mbs.Revolute crank(n = {1, 0, 0}, q_start = {0.3}, qd_start = {6});
  Mbs.Bar arm(r = {0, 0, 0.08});
  Mbs.Universal joint(n1 = {0, 0, 1}, n2 = {0, 1, 0}, q_start = {-0.5, 0.6}) "Follows";
  Mbs.Bar rod(r = {0.3, 0, 0});
  Mbs.Prismatic slide(n = {1, 0, 0}, q_start = {0.2}) "Follows";
  Mbs.CutSpherical cut;
  Mbs.Body m1(m = 0.12, r = {0, 0, 0.04}, I11 = 1e-4, I22 = 1e-5, I33 = 1e-4);
  Mbs.Body m2(m = 0.5, r = {0.15, 0, 0}, I11 = 4e-5, I22 = 4e-3, I33 = 4e-3);
  Mbs.Body m3(m = 2, I11 = 1e-4, I22 = 1e-4, I33 = 1e-4);
equation
  connect(i.b, post.a);
  connect(post.b, crank.a);
  connect(crank.b, m1.a);
  connect(crank.b, arm.a);
  connect(arm.b, joint.a);
  connect(joint.b, m2.a);
  connect(joint.b, rod.a);
  connect(i.b, slide.a);
  connect(slide.b, m3.a);
  connect(rod.b, cut.a);
  connect(slide.b, cut.b);
  connect(cut.rest[1], joint.ext[1]);
  connect(cut.rest[2], joint.ext[2]);
  connect(cut.rest[3], slide.ext[1]);
  annotation(experiment(StopTime = 2));
end SliderCrank;
