-- Faults that a person could make, one line each, in every room of the house. `from` stands once in the file and
-- becomes `to`; at least one of the tests must then fail: "unit.x" is tests/test_x.c, "lua.x" tests/lua/test_x.lua.
return {
  -- core
  { "a limit that belongs to the range is refused", "src/core/param.c", "x <= p->min : x < p->min) return 0;", "x <= p->min : x <= p->min) return 0;", "unit.param" },
  { "the middle of a bracket is not the middle", "src/core/root.c", "  double t = 0.5;\n", "  double t = 0.999999;\n", "unit.root" },
  -- models
  { "a ball's inertia without its radius", "src/model/ball.c", "b->W[0] = b->W[4] = im + r * r * iI;", "b->W[0] = b->W[4] = im + r * iI;", "unit.model_ball lua.check" },
  { "gravity turned round in the potential of a ball", "src/model/ball.c", "return -b->mass * model_dot(b->g, q);", "return b->mass * model_dot(b->g, q);", "unit.model_ball lua.check" },
  { "half the coupling of the links", "src/model/double_pendulum.c", "M[1] = M[2] = p->a2 + bc;", "M[1] = M[2] = p->a2 + bc / 2;", "unit.model_double_pendulum lua.check" },
  { "a sign in a jacobian", "src/model/double_pendulum.c", "J[2] = -p->l2 * d.s12;", "J[2] = p->l2 * d.s12;", "unit.model_double_pendulum" },
  { "the centrifugal force of the bar is lost", "src/model/bar.c", "  f[0] = -p->c_s * u[0] - p->k_s * q[0] + md * u[1] * u[1] * s +", "  f[0] = -p->c_s * u[0] - p->k_s * q[0] +", "unit.model_bar lua.check" },
  { "the far end of the rod in the wrong place", "src/model/rod.c", "p->end[1] = p->length - centre;", "p->end[1] = p->length + centre;", "unit.model_rod" },
  -- the waist
  { "the audit forgets friction in the ledger", "src/impact/audit.c", "fabs(before - after - r->lost_restitution - r->lost_friction - r->stored)", "fabs(before - after - r->lost_restitution - r->stored)", "unit.audit unit.conformance" },
  { "the audit takes twice the cone", "src/impact/audit.c", "relative(pt - mu * fmax(pn, 0), p_size)", "relative(pt - 2 * mu * fmax(pn, 0), p_size)", "unit.audit" },
  -- laws
  { "Newton's rule without its minus", "src/impact/laws/newton.c", "    return -g->e[i] * g->v[i];", "    return g->e[i] * g->v[i];", "unit.newton unit.conformance" },
  { "e instead of e^2 in Stronge's ending", "src/impact/laws/rigid/piece.h", "law_not_below(0, -n->e * n->e * n->work_c - (n->work - n->work_c));", "law_not_below(0, -n->e * n->work_c - (n->work - n->work_c));", "unit.planar unit.planar_rules" },
  { "Poisson's ending counts compression twice", "src/impact/laws/rigid/piece.h", "return law_not_below(0, n->e * n->l_c - (n->l - n->l_c));", "return law_not_below(0, n->e * n->l - (n->l - n->l_c));", "unit.planar unit.planar_rules" },
  { "a sliding contact sticks although friction is too weak", "src/impact/laws/rigid/planar.c", "int slips = fabs(s->b) > rule->mu_static * s->a;", "int slips = fabs(s->b) > 2 * rule->mu_static * s->a;", "unit.planar unit.planar_rules" },
  { "friction works with the sliding in the ledger", "src/impact/laws/rigid/planar.c", "s->lost += friction * x * (s->vt + vt) / 2;", "s->lost += friction * x * vt;", "unit.planar unit.conformance" },
  { "the spring of restitution is too stiff", "src/impact/laws/compliant/change.c", "  k->k = k->k0 / keep;\n", "  k->k = k->k0 / keep / keep;\n", "unit.compliant unit.compliant_events" },
  { "slip sets in too late", "src/impact/laws/compliant/settle.c", "most = k->mu * k->k0 / k->kt * fabs(v_n);", "most = 2 * k->mu * k->k0 / k->kt * fabs(v_n);", "unit.compliant unit.compliant_brute unit.compliant_events" },
  { "four contacts side by side drag too much", "src/impact/laws/compliant/fast/series_four.c", "a->drag[l] = slides ? -slip_mu(k) : 0;", "a->drag[l] = slides ? -1.000001 * slip_mu(k) : 0;", "unit.compliant_plain" },
  { "a bound of the slip speed is too high", "src/impact/laws/compliant/fast/bounds.c", "a->least = x - v1 - v2 +", "a->least = x + v1 + v2 +", "unit.compliant_plain" },
  { "friction of the quick single contact pushes on", "src/impact/laws/compliant/fast/single.c", "z->pt -= z->side * z->mu * by;", "z->pt += z->side * z->mu * by;", "unit.compliant unit.compliant_paper" },
  { "a separating contact gets restitution too", "src/impact/laws/moreau.c", "(e && g->v[n] < 0 ? core_list_at(e, of) : 0)", "(e && g->v[n] < 100 ? core_list_at(e, of) : 0)", "unit.modes lua.check" },
  { "the ledger of Moreau's law changes places", "src/impact/laws/moreau.c", "? &r->lost_restitution : &r->lost_friction) -= work;", "? &r->lost_friction : &r->lost_restitution) -= work;", "unit.modes lua.check" },
  { "one answer is proved although loads may be shared", "src/impact/modes_unique.c", "square < 1 - TOL_DEFINITE_STOP) return 0;", "square < 0) return 0;", "unit.modes_unique" },
  { "one answer is proved whatever friction does", "src/impact/modes_unique.c", "X[(size_t)k->n * (rows + 1)] -= k->mu * a;", "X[(size_t)k->n * (rows + 1)] -= 0 * a;", "lua.unique" },
  { "the residual of an easier problem is taken for its own", "src/impact/modes_proximal.c", "  modes_look_at_p(w); /*", "  /*", "lua.least" },
  { "what is left of a law is said to be nothing", "src/impact/laws/moreau.c", "r->residual = fmax(r->residual, impact_modes", "r->residual = 0 * fmax(r->residual, impact_modes", "lua.least" },
  { "contacts felt by others go together", "src/impact/modes_blocks.c", "    if (start[last + 1] - start[last] != start[k.end + 1] - start[k.end] + 1) break;\n", "", "unit.modes_blocks" },
  { "the path of many contacts never turns", "src/impact/modes_path.c", "z->t_tau = -z->w->sign / sqrt(norm);", "z->t_tau = -1 / sqrt(norm);", "unit.modes_many" },
  { "the last of those that close is first", "src/impact/laws/sequential.c", "if (isinf(t) || t > first) continue;", "if (isinf(t) || t < first) continue;", "unit.sequential" },
  -- runs
  { "the rest of a series of bounces is too short", "src/sim/zeno.c", "return w * r / (1 - r);", "return w * r;", "unit.sim_contact unit.sim_events lua.simulate" },
  { "friction drives the sliding on", "src/sim/contact.c", "{-mu * s[0], -mu * s[1], 0}", "{mu * s[0], mu * s[1], 0}", "unit.sim_contact unit.sim_creep" },
  { "a contact sticks beyond its friction", "src/sim/trial.c", "(sqrt(tt) - mu * fmax(fn, 0)) * w", "(sqrt(tt) - 2 * mu * fmax(fn, 0)) * w", "unit.sim_contact unit.sim_creep unit.sim_machines" },
  { "friction of impacts is not booked", "src/sim/strike.c", "f->run->ledger.friction += r->lost_friction;", "f->run->ledger.friction += 0 * r->lost_friction;", "unit.sim_flight unit.sim_events lua.simulate lua.runs" },
  -- derivatives
  { "an event in space comes no later", "src/impact/derive_space.c", "move_to(w, x, (dual){t, -f.d / rate});", "move_to(w, x, (dual){t, 0 * f.d / rate});", "unit.derive" },
  { "a fresh slip turns as an old one", "src/impact/derive_series.c", "width = add(times(k, rho1), speed);", "width = add(times(k + 1, rho1), speed);", "unit.derive" },
  { "M does not change with the joints", "src/impact/derive_shape.c", "core_lin_multiply('N', 'N', n, rows, n, -1, change, n, X, n, 1, dX, n);", "", "unit.derive_models" },
  { "loops take no place away", "src/sim/vary_stand.c", "*taken = places + speeds;", "*taken = speeds;", "lua.cycle_stands" },
  { "sliding that turns back waits for a slip", "src/sim/vary_salt.c", "mode == SIM_MODE_SLIP) g->kind = SIM_STICK;", "mode == SIM_MODE_SLIP) g->kind = SIM_SLIP;", "lua.cycle_stands" },
  { "behind an impact at the section the branch turns back", "lua/knock/study/section.lua", "local sign = value >= c.value and 1 or -1", "local sign = value >= c.value and -1 or 1", "lua.branches" },
  -- sweeps and files
  { "a torn frame of a journal is taken", "src/sweep/journal.c", "return checksum(h, bytes->at) == h->crc;", "return checksum(h, bytes->at) == h->crc || 1;", "unit.journal" },
  { "start-up counts in the time that is left", "src/sweep/progress.c", "if (!p->counting && done > p->before) {", "if (!p->counting) {", "unit.progress" },
  { "numbers lose their last digits", "src/record/number.c", "return low == high ? 0 : tens + (uint64_t)high;", "return tens + (uint64_t)high;", "unit.record" },
  { "units of a table are not written", "src/record/csv.c", "    write_word(out, c->unit, \"[]\\\"\\\\\");\n", "", "unit.record lua.sweep" },
  { "a missing text of an HDF5 file takes a number", "src/record/hdf5_write.c", "++index} : (h5_text){0});", "++index} : (h5_text){0, 0, ++index * 0});", "unit.hdf5_write" },
  { "a node of names in an HDF5 file ends with its first", "src/record/hdf5_image.c", "    put_entry(m, last = name_at, links[i].object);", "    put_entry(m, name_at, links[i].object);", "unit.hdf5_write" },
  { "runs of words end too late", "src/record/texts.c", "while (at < end && c->s[at] == c->s[row]) at++;", "while (at < end && (c->s[at] == c->s[row] || at == row + 1)) at++;", "unit.hdf5_write" },
  { "events in a table have the speeds before twice", "src/bind/run_table.c", "  return sim_event_u_after(r, e);", "  return sim_event_u(r, e);", "lua.runs" },
  -- the Lua side
  { "a misspelt option is taken", "lua/knock/options.lua", "then unknown(owner, key, known) end", "then end", "lua.options" },
  { "tick labels may touch", "lua/knock/draw/layout.lua", "local apart = 1.2", "local apart = -1.2", "lua.layout" },
  { "fields are offered as methods", "lua/knock/complete.lua", "(mark == \":\" and method_names or field_names)", "(field_names)", "cli.repl" },
}
