/** Earnings by day or by month. Screen readers get a table. */
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { styled } from '@mui/material/styles';
import { useState, type PointerEvent } from 'react';
import { decimalFromMinor } from '#contracts/plain/money';
import { Private } from '../account/Privacy.js';
import { usePrivacy } from '../account/privacy.js';
import { VisuallyHidden } from '../../shared/ui/Amount.js';
import { useIsRefused } from '../../shared/ui/Loaded.js';
import { EASE, MS, NARROW, touchRoom } from '../../shared/ui/theme.js';
import { money } from '../../shared/wording/money.js';
import { dayKey } from '../../shared/wording/months.js';
import { beginsOf, earningsOf, totalOf, useEarningsQuery, type Bar, type Grain } from './earnings.js';

const BARS_HEIGHT = 112;

const Ground = styled(Paper)(({ theme }) => ({
  padding: 16,
  '& .head': {
    display: 'flex',
    alignItems: 'start',
    justifyContent: 'space-between',
    gap: 12,
    marginBottom: 14,
  },
  '& .head > div:first-of-type': { minWidth: 0 },
  '& .when': { fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  '& .sum': {
    fontSize: 22,
    lineHeight: '28px',
    fontWeight: 620,
    fontStretch: '112%',
    letterSpacing: '-.014em',
  },
  '& .MuiToggleButtonGroup-root': { width: 148, flex: 'none' },
  '& .MuiToggleButton-root': { minHeight: 36, ...touchRoom(4) },
  [NARROW]: { padding: 12, '& .MuiToggleButtonGroup-root': { width: 120 } },
  '& .axis': {
    display: 'flex',
    justifyContent: 'space-between',
    marginTop: 6,
    fontSize: 12,
    lineHeight: '16px',
    color: theme.vars.palette.text.secondary,
  },
}));

const Bars = styled('svg')(({ theme }) => ({
  display: 'block',
  width: '100%',
  height: BARS_HEIGHT,
  borderBottom: `1px solid ${theme.vars.palette.divider}`,
  touchAction: 'pan-y',
  '& rect': { fill: theme.vars.palette.divider, transition: `fill ${MS.hover}ms ${EASE}` },
  '& rect[data-is="some"]': { fill: theme.vars.palette.success.main },
  '& rect[data-is="chosen"]': { fill: theme.vars.palette.primary.main },
}));

const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });
const WHOLE_DAY = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric' });
const MONTH = new Intl.DateTimeFormat('en-US', { month: 'short' });
const WHOLE_MONTH = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric' });

interface ChartProps {
  readonly bars: readonly Bar[];
  readonly grain: Grain;
  readonly chosen: string | undefined;
  readonly onChoose: (key: string | undefined) => void;
}

/** The bars; the figure of the chosen one is shown above. */
function Chart({ bars, grain, chosen, onChoose }: ChartProps) {
  // Privacy mode also hides the bars: their proportions tell as much as figures.
  const { isHidden } = usePrivacy();
  const most = Math.max(1, ...bars.map(({ minor }) => minor));
  const whole = grain === 'day' ? WHOLE_DAY : WHOLE_MONTH;
  const short = grain === 'day' ? DAY : MONTH;
  const [first, last] = [bars[0], bars.at(-1)];
  const choose = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onChoose(bars[Math.floor(((event.clientX - left) / width) * bars.length)]?.key);
  };
  const middle = bars[Math.floor(bars.length / 2)];
  return (
    <>
      <Bars
        aria-hidden="true"
        onPointerDown={choose}
        onPointerMove={choose}
        onPointerLeave={(event) => event.pointerType === 'mouse' && onChoose(undefined)}
      >
        {bars.map(({ key, minor }, index) => {
          // Even the smallest tip is visible.
          const share = isHidden ? 0.5 : minor / most;
          const height = minor === 0 ? 2 : Math.max(6, Math.round(share * (BARS_HEIGHT - 8)));
          return (
            <rect
              key={key}
              data-is={minor === 0 ? 'none' : key === chosen ? 'chosen' : 'some'}
              x={`${((index + 0.12) / bars.length) * 100}%`}
              y={BARS_HEIGHT - height}
              width={`${(0.76 / bars.length) * 100}%`}
              height={height}
              rx={minor === 0 ? 1 : 2.5}
            />
          );
        })}
      </Bars>
      <div className="axis" aria-hidden="true">
        {[first, middle, last].map((bar) => bar && <span key={bar.key}>{short.format(bar.begins)}</span>)}
      </div>
      <VisuallyHidden as="div">
        <table>
          <caption>Earnings by {grain}</caption>
          <thead>
            <tr>
              <th scope="col">{grain === 'day' ? 'Day' : 'Month'}</th>
              <th scope="col">Received</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ key, begins, minor }) => (
              <tr key={key}>
                <th scope="row">{whole.format(begins)}</th>
                <td>
                  <Private>{money(decimalFromMinor(minor))}</Private>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}

export default function EarningsChart() {
  const [grain, setGrain] = useState<Grain>('day');
  const [chosen, setChosen] = useState<string>();
  const now = new Date();
  const {
    currentData: earnings,
    isError,
    isFetching,
    refetch,
  } = useEarningsQuery(beginsOf(dayKey(now), grain));
  const isRefused = useIsRefused(earnings === null && !isFetching);
  const bars = earnings ? earningsOf(earnings, now, grain) : undefined;
  const isNone = earnings ? bars === undefined : isError;
  const hasFailed = isRefused || (isNone && !isFetching);
  const bar = bars?.find(({ key }) => key === chosen);
  const span = grain === 'day' ? 'Last 30 days' : 'Last 12 months';
  return (
    <Ground variant="card">
      <div className="head">
        <div>
          <div className="when">
            {bar ? (grain === 'day' ? WHOLE_DAY : WHOLE_MONTH).format(bar.begins) : span}
          </div>
          <div className="sum">
            {bars ? (
              <Private>{money(bar ? decimalFromMinor(bar.minor) : totalOf(bars))}</Private>
            ) : hasFailed ? (
              ' '
            ) : (
              <Skeleton width={120} height={22} style={{ margin: '3px 0' }} />
            )}
          </div>
        </div>
        <ToggleButtonGroup
          exclusive
          value={grain}
          aria-label="Earnings by"
          onChange={(_event, next: Grain | null) => {
            if (next === null) return;
            setGrain(next);
            setChosen(undefined);
          }}
        >
          <ToggleButton value="day">Days</ToggleButton>
          <ToggleButton value="month">Months</ToggleButton>
        </ToggleButtonGroup>
      </div>
      {bars ? (
        <Chart bars={bars} grain={grain} chosen={chosen} onChoose={setChosen} />
      ) : hasFailed ? (
        <div
          style={{
            height: BARS_HEIGHT + 23,
            display: 'grid',
            placeContent: 'center',
            gap: 12,
            textAlign: 'center',
          }}
        >
          <div role="alert">Your earnings could not be loaded.</div>
          <Button variant="outlined" size="small" onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      ) : (
        <Skeleton height={BARS_HEIGHT + 23} aria-label="Loading earnings" role="status" />
      )}
    </Ground>
  );
}
