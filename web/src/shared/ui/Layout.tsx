/**
 * The pieces that pages are laid out with: sections, cards of rows, lines with dot leaders, notes and
 * warnings.
 */
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { ShieldCheck, TriangleAlert, type LucideIcon } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { NARROW, touchRoom } from './theme.js';

const Head = styled('div')({
  display: 'flex',
  alignItems: 'baseline',
  justifyContent: 'space-between',
  gap: 12,
  marginBottom: 10,
  '& a': { fontSize: 14, ...touchRoom(11, 6) },
});

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
  /** A link or button beside the title. */
  readonly action?: ReactNode;
}

/** A part of a page under its heading. */
export function Section({ title, action, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} style={{ minWidth: 0 }}>
      <Head>
        <Typography variant="h2" id={id}>
          {title}
        </Typography>
        {action}
      </Head>
      {children}
    </section>
  );
}

/** A vertical stack. `gap` in px. */
export const Stack = styled('div', { shouldForwardProp: (name) => name !== 'gap' })<{
  readonly gap?: number;
}>(({ gap = 12 }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  alignContent: 'start',
  gap,
}));

/** A horizontal row. */
export const Row = styled('div', { shouldForwardProp: (name) => name !== 'gap' && name !== 'spread' })<{
  readonly gap?: number;
  readonly spread?: boolean;
}>(({ gap = 12, spread }) => ({
  display: 'flex',
  alignItems: 'center',
  gap,
  minWidth: 0,
  justifyContent: spread ? 'space-between' : undefined,
}));

/** Two equal columns; one below 360 px if `stacks`. */
export const Pair = styled('div', { shouldForwardProp: (name) => name !== 'stacks' })<{
  readonly stacks?: boolean;
}>(({ stacks }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
  gap: 10,
  ...(stacks ? { [NARROW]: { gridTemplateColumns: 'minmax(0, 1fr)' } } : {}),
}));

interface CardProps {
  readonly children: ReactNode;
  readonly padding?: number | string;
  readonly gap?: number;
}

/** A card with a vertical stack. */
export function Card({ children, padding = 16, gap = 12 }: CardProps) {
  return (
    <Paper variant="card" style={{ padding }}>
      <Stack gap={gap}>{children}</Stack>
    </Paper>
  );
}

const Leader = styled('div')(({ theme }) => ({
  display: 'flex',
  alignItems: 'baseline',
  gap: 8,
  padding: '5px 0',
  '& dt': { color: theme.vars.palette.text.secondary, whiteSpace: 'nowrap', order: 1 },
  '& dd': {
    margin: 0,
    order: 3,
    fontWeight: 600,
    textAlign: 'right',
    maxWidth: '68%',
    overflowWrap: 'anywhere',
  },
  '&::before': {
    content: '""',
    order: 2,
    flex: 1,
    minWidth: 16,
    height: 4,
    opacity: 0.8,
    color: theme.vars.palette.control,
    backgroundImage: 'radial-gradient(circle, currentColor 0 .8px, transparent 1.15px)',
    backgroundSize: '6px 4px',
    backgroundPosition: 'left bottom',
    backgroundRepeat: 'round no-repeat',
  },
  '.on-stage &': {
    '& dt': { color: theme.vars.palette.stage.on2 },
    '&::before': { color: theme.vars.palette.stage.line },
  },
}));
const Leaders = styled('dl')({ margin: 0 });

/** Label, dotted line, value: as in a theatre programme. */
export function DotLeaders({
  rows,
}: {
  readonly rows: readonly { readonly label: string; readonly value: ReactNode }[];
}) {
  return (
    <Leaders>
      {rows.map(({ label, value }) => (
        <Leader key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{value}</dd>
        </Leader>
      ))}
    </Leaders>
  );
}

const Quiet = styled('p')(({ theme }) => ({
  margin: 0,
  display: 'flex',
  gap: 10,
  alignItems: 'flex-start',
  fontSize: 13,
  lineHeight: '18px',
  color: theme.vars.palette.text.secondary,
}));

/** A reassurance under a form. */
export function Note({
  children,
  icon: Icon = ShieldCheck,
}: {
  readonly children: ReactNode;
  readonly icon?: LucideIcon;
}) {
  return (
    <Quiet>
      <Icon size={16} strokeWidth={2} aria-hidden="true" style={{ marginTop: 1 }} />
      <span>{children}</span>
    </Quiet>
  );
}

const Strip = styled('div')(({ theme }) => ({
  display: 'flex',
  gap: 12,
  alignItems: 'flex-start',
  padding: '14px 16px',
  borderRadius: 12,
  fontSize: 14,
  lineHeight: '20px',
  fontWeight: 600,
  '&[data-tone="warning"]': {
    backgroundColor: theme.vars.palette.tint.warning,
    color: theme.vars.palette.warning.main,
  },
  '&[data-tone="error"]': {
    backgroundColor: theme.vars.palette.tint.error,
    color: theme.vars.palette.error.main,
  },
}));

interface BannerProps {
  readonly tone: 'warning' | 'error';
  readonly children: ReactNode;
}

/** A sentence next to a control: why a button is off, or what went wrong. */
export function Banner({ tone, children }: BannerProps) {
  return (
    <Strip data-tone={tone} role={tone === 'error' ? 'alert' : undefined}>
      <TriangleAlert size={20} strokeWidth={2} aria-hidden="true" />
      <span>{children}</span>
    </Strip>
  );
}
