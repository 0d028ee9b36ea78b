/* The C interface of force plug-ins. A plug-in is a shared library that exports the four functions
   below; a model names it with `forces: {tyre: {plugin: ./libtyre.so, options: {radius: 0.3}}}`.
   All quantities are SI, in world axes. Example: models/plugins/drag.c. */
#ifndef COUPLET_FORCES_PLUGIN_H
#define COUPLET_FORCES_PLUGIN_H

#ifdef __cplusplus
extern "C" {
#endif

#define COUPLET_PLUGIN_VERSION 1

/* Body 0 is the world. */
typedef struct {
  double position[3];         /* of the body's origin, m */
  double orientation[4];      /* unit quaternion (w, x, y, z), body to world */
  double velocity[3];         /* of the body's origin, m/s */
  double angular_velocity[3]; /* rad/s */
} couplet_body;

/* To be added to: force on the body and torque about its origin. */
typedef struct {
  double force[3];  /* N */
  double torque[3]; /* N m */
} couplet_force;

/* Returns COUPLET_PLUGIN_VERSION. */
int couplet_plugin_version(void);

/* Called once per evaluating thread. Returns the plug-in's own data, or NULL after writing a
   message of at most error_size characters. Body names stay valid until couplet_plugin_destroy. */
void* couplet_plugin_create(int body_count, const char* const* body_names, int option_count,
                            const char* const* option_names, const double* option_values,
                            char* error, int error_size);

/* Adds to forces[i] for any body i. Returns 0, or anything else when it cannot. Must not allocate.
 */
int couplet_plugin_calc(void* self, double t, const couplet_body* bodies, couplet_force* forces);

void couplet_plugin_destroy(void* self);

#ifdef __cplusplus
}
#endif
#endif
