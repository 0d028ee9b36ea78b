/* Air drag f = -c |v| v on every body, at its origin. Build and use:
     cc -shared -fPIC -Isrc models/plugins/drag.c -o libdrag.so
     forces: {drag: {plugin: ./libdrag.so, options: {coefficient: 0.5}}} */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "couplet/forces/plugin.h"

typedef struct {
  int body_count;
  double coefficient; /* N s²/m² */
} drag;

int couplet_plugin_version(void) { return COUPLET_PLUGIN_VERSION; }

void* couplet_plugin_create(int body_count, const char* const* body_names, int option_count,
                            const char* const* option_names, const double* option_values,
                            char* error, int error_size) {
  (void)body_names;
  drag* self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->body_count = body_count;
  for (int i = 0; i < option_count; ++i) {
    if (strcmp(option_names[i], "coefficient") == 0) {
      self->coefficient = option_values[i];
    } else {
      snprintf(error, (size_t)error_size, "there is no option '%s', only 'coefficient'",
               option_names[i]);
      free(self);
      return NULL;
    }
  }
  return self;
}

int couplet_plugin_calc(void* data, double t, const couplet_body* bodies, couplet_force* forces) {
  const drag* self = data;
  (void)t;
  for (int b = 1; b < self->body_count; ++b) { /* body 0 is the world */
    const double* v = bodies[b].velocity;
    const double factor = -self->coefficient * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; ++i) forces[b].force[i] += factor * v[i];
  }
  return 0;
}

void couplet_plugin_destroy(void* self) { free(self); }
