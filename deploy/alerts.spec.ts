/** The alert rules: each reads, and asks for figures and labels that some process tells. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { parse } from 'yaml';
import { z } from 'zod';
import { SETTINGS, type SettingKey } from '#contracts/configuration';
import { repositoryRoot } from '#local/launch/program';

const ROOT = repositoryRoot();
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const Rule = z.strictObject({
  alert: z.string().regex(/^[A-Z]\w+$/),
  expr: z.string().min(1),
  for: z
    .string()
    .regex(/^\d+[smhd]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string().endsWith('.'), description: z.string().min(1) }),
});
const Rules = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule).min(1) })).min(1),
});
type Rule = z.infer<typeof Rule>;

const files = readdirSync(join(ROOT, 'deploy/alerts'));
const rules = files.flatMap((file): Rule[] =>
  Rules.parse(parse(read(`deploy/alerts/${file}`))).groups.flatMap((group) => group.rules),
);

/** `new Gauge({ name: 'encore_…', labelNames: […] })`. */
function constructed(node: ts.Node): { figure: string; labels: readonly string[] } | undefined {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'Gauge') return undefined;
  const [given] = node.arguments ?? [];
  if (!given || !ts.isObjectLiteralExpression(given)) return undefined;
  const textsOf = (wanted: string): readonly string[] =>
    given.properties.flatMap((property) => {
      if (!ts.isPropertyAssignment(property) || property.name.getText() !== wanted) return [];
      const { initializer: value } = property;
      const values = ts.isArrayLiteralExpression(value) ? [...value.elements] : [value];
      return values.filter(ts.isStringLiteral).map(({ text }) => text);
    });
  const [figure] = textsOf('name');
  return figure === undefined ? undefined : { figure, labels: textsOf('labelNames') };
}

/** The figures that the code declares, with their labels: `figures.gauge('encore_…', …)` and its kin. */
function declared(): Map<string, readonly string[]> {
  // What Prometheus itself says of each process that it asks.
  const found = new Map<string, readonly string[]>([['up', []]]);
  const labelsAt: Readonly<Record<string, number>> = { gauge: -1, gauges: 2, counter: 2, histogram: 3 };
  for (const folder of ['processes', 'workers', 'ledger', 'audit'])
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
      const text = read(join(folder, name));
      if (!text.includes('encore_')) continue;
      const visit = (node: ts.Node): void => {
        if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
          const at = labelsAt[node.expression.name.text];
          const [figure] = node.arguments;
          if (at !== undefined && figure && ts.isStringLiteral(figure)) {
            const labels = at < 0 ? undefined : node.arguments[at];
            const names = labels && ts.isArrayLiteralExpression(labels) ? labels.elements : [];
            found.set(
              figure.text,
              [...names].filter(ts.isStringLiteral).map((label) => label.text),
            );
          }
        }
        const own = constructed(node);
        if (own) found.set(own.figure, own.labels);
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true));
    }
  // Written to a file for the node exporter, beside the figures of processes: `encore audit reconcile
  // --metrics`.
  const file = read('audit/reconcile/metrics.ts');
  for (const name of ['encore_reconcile_items', 'encore_reconcile_done_timestamp_seconds'])
    if (file.includes(`'${name}'`)) found.set(name, ['side', 'class', 'owner']);
  return found;
}

const FUNCTIONS = new Set('max min sum count time absent increase by or and unless offset'.split(' '));
/** What Prometheus adds to each figure. */
const OF_PROMETHEUS = ['job', 'instance'];

/** An expression without its texts, and what of labels stands in braces, after "by" and in annotations. */
function named({ expr, annotations }: Rule): { figures: string[]; labels: string[] } {
  const inBraces = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
    [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"[^"]*"/g)].map(([, label]) => label!),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  const told = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\bby \([^)]*\)/g, '')
    // How long something is: `[1d]`, `offset 1d`.
    .replaceAll(/\b\d+[smhd]\b/g, '');
  const figures = [...bare.matchAll(/[a-z_]\w*/g)].map(([word]) => word).filter((it) => !FUNCTIONS.has(it));
  return { figures, labels: [...inBraces, ...grouped, ...told] };
}

/** Whether what is opened is closed, and each comparison has two sides. */
function isWhole(expr: string): boolean {
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ')': '(', '}': '{' };
  for (const sign of expr.replaceAll(/"[^"]*"/g, '""')) {
    if (sign === '(' || sign === '{') open.push(sign);
    else if (pairs[sign] !== undefined && open.pop() !== pairs[sign]) return false;
  }
  const sides = expr.split(/\bor\b/).map((side) => side.trim());
  return (
    open.length === 0 &&
    sides.every((side) => /^absent\(/.test(side) || /\S (?:==|!=|>|<) [\d\s*]+$/.test(side))
  );
}

describe('the alert rules', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s asks for what some process tells',
    (_, rule) => {
      const known = declared();
      const { figures, labels } = named(rule);
      expect(figures.length).toBeGreaterThan(0);
      expect(figures.filter((figure) => !known.has(figure))).toEqual([]);
      const there = [...OF_PROMETHEUS, ...figures.flatMap((figure) => known.get(figure) ?? [])];
      expect(labels.filter((label) => !there.includes(label))).toEqual([]);
      expect(isWhole(rule.expr)).toBe(true);
    },
  );

  // It never falls while the process runs: the rule would ring on, and a second event would ring nothing.
  it('ask what is counted for its increase of late, also where it is told since then only', () => {
    const rung = rules.flatMap(({ alert, expr }) =>
      [...expr.matchAll(/\bencore_\w+_total\b(?:\{[^}]*\})?/g)].flatMap(([counted]) => {
        const isOfLate =
          expr === `max(increase(${counted}[1d])) > 0 or max(${counted} unless ${counted} offset 1d) > 0`;
        return isOfLate ? [] : [alert];
      }),
    );
    expect(rung).toEqual([]);
  });

  it('notices a rule over a figure or a label that nobody tells, and one that is cut short', () => {
    expect(declared().has('encore_archive_lost')).toBe(false);
    expect(declared().get('encore_payouts_put_off_seconds')).toEqual(['code']);
    expect(isWhole('max(encore_log_recovery == 1')).toBe(false);
    expect(isWhole('max(encore_log_recovery) ==')).toBe(false);
  });

  it('stand in the table of docs/how-to/operate.md, each beside a figure that it asks for', () => {
    const [, section = ''] = read('docs/how-to/operate.md').split('\n## Figures worth an alarm\n');
    const [table = ''] = section.split('\n## ');
    const lines = table.split('\n').filter((line) => line.startsWith('| `'));
    const listed = lines.flatMap((line) => {
      const [, , , names = ''] = line.split(/(?<!\\)\|/);
      return [...names.matchAll(/\w+/g)].map(([name]) => ({ name, line }));
    });
    expect(listed.map(({ name }) => name).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
    const astray = listed.filter(
      ({ name, line }) =>
        !rules.some((rule) => rule.alert === name && named(rule).figures.some((each) => line.includes(each))),
    );
    expect(astray).toEqual([]);
  });

  it('have names of their own', () =>
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length));
});

describe('deploy/prometheus.yml', () => {
  const Config = z.looseObject({
    rule_files: z.array(z.string()),
    scrape_configs: z.array(
      z.looseObject({
        job_name: z.string(),
        dns_sd_configs: z.tuple([z.looseObject({ names: z.tuple([z.string()]), port: z.number() })]),
      }),
    ),
  });
  const config = Config.parse(parse(read('deploy/prometheus.yml')));

  it('has a rule for each process that it asks, also for when none runs and there is no address to ask', () => {
    const away = rules.flatMap(({ expr }) => [...expr.matchAll(/absent\(([^)]*)\)/g)].map(([, of]) => of!));
    const unwatched = config.scrape_configs.filter(
      ({ job_name: job }) => !away.some((of) => of === `up{job="${job}"}` || of.startsWith(`encore_${job}_`)),
    );
    expect(unwatched).toEqual([]);
  });

  it('loads the rules, which compose mounts beside it', () => {
    expect(config.rule_files).toEqual(['alerts/*.yml']);
    const { services } = z
      .looseObject({
        services: z.looseObject({ prometheus: z.looseObject({ volumes: z.array(z.string()) }) }),
      })
      .parse(parse(read('deploy/monitoring.yml')));
    expect(services.prometheus.volumes).toContain('./deploy/alerts:/etc/prometheus/alerts:ro');
  });

  it('asks each service that tells figures, at the port where it does', () => {
    const { services } = z
      .looseObject({
        services: z.record(
          z.string(),
          z.looseObject({ environment: z.record(z.string(), z.unknown()).optional() }),
        ),
      })
      .parse(parse(read('docker-compose.yml'), { merge: true }));
    const telling = Object.keys(services).filter(
      (name) => services[name]!.environment?.['METRICS_TOKEN_FILE'] !== undefined,
    );
    expect(config.scrape_configs.map(({ job_name: job }) => job).sort()).toEqual(telling.sort());
    for (const {
      job_name: job,
      dns_sd_configs: [{ names, port }],
    } of config.scrape_configs) {
      const setting = (job === 'ledger' ? 'LEDGER_INTERNAL_PORT' : `${job.toUpperCase()}_PORT`) as SettingKey;
      expect([job, names, port]).toEqual([job, [job], SETTINGS[setting].schema.parse(undefined)]);
    }
  });
});
