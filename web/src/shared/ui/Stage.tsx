/**
 * The one lit panel of a screen: velvet, a beam and the pool of light in which the amount stands. Hard edges,
 * no blur.
 *
 *     <Stage light="hero" full>…</Stage>
 */
import Paper from '@mui/material/Paper';
import { keyframes, styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { DESKTOP, EASE, FORCED, MS, PHONE, STILL } from './theme.js';

interface Light {
  readonly beam: string;
  readonly pool: { readonly cx: number; readonly cy: number; readonly rx: number; readonly ry: number };
  /** Straight above the middle, instead of off the top right. */
  readonly centred?: true;
}

/** Where the lamp hangs: pixels from the top left, or from the middle of the top. */
export const LIGHTS = {
  /** Full bleed with the header inside, the amount at the left. */
  hero: { beam: 'M380 -70H408L332 120H-52Z', pool: { cx: 140, cy: 120, rx: 192, ry: 56 } },
  /** The same as a card on a desktop. */
  heroCard: { beam: 'M582 -150H618L438 86H-62Z', pool: { cx: 188, cy: 86, rx: 250, ry: 66 } },
  /** A card on a phone. */
  card: { beam: 'M302 -150H330L262 62H-38Z', pool: { cx: 112, cy: 62, rx: 150, ry: 48 } },
  /** A narrow card beside a list. */
  aside: { beam: 'M256 -150H284L270 64H-34Z', pool: { cx: 118, cy: 64, rx: 152, ry: 46 } },
  /** The head of a receipt: in the middle, and narrower than its dialog on a phone. */
  receipt: { beam: 'M-34 -90H34L158 122H-158Z', pool: { cx: 0, cy: 122, rx: 158, ry: 60 }, centred: true },
  /** The head of a sheet: what is to be confirmed. */
  sheet: { beam: 'M-34 -110H34L167 108H-167Z', pool: { cx: 0, cy: 108, rx: 168, ry: 72 }, centred: true },
  /** The sign of the landing page. */
  landing: { beam: 'M398 -60H442L286 270H-86Z', pool: { cx: 100, cy: 270, rx: 186, ry: 40 } },
  /** The same beside the words, under the sign at the right. */
  landingDesktop: {
    beam: 'M560 -60H620L568 430H52Z',
    pool: { cx: 310, cy: 430, rx: 258, ry: 56 },
    centred: true,
  },
  /** A receipt or a code: everything in the middle, the lamp straight above. */
  centred: { beam: 'M-14 -150H14L190 150H-190Z', pool: { cx: 0, cy: 150, rx: 190, ry: 56 }, centred: true },
  /** A code to be scanned, lit from straight above; the pool lies under it. */
  code: { beam: 'M-44 -120H44L186 432H-186Z', pool: { cx: 0, cy: 432, rx: 186, ry: 52 }, centred: true },
  /** The same without a header above it. */
  codeCard: { beam: 'M-40 -150H40L176 392H-176Z', pool: { cx: 0, cy: 392, rx: 176, ry: 48 }, centred: true },
} as const satisfies Record<string, Light>;

const brighten = keyframes({ '40%': { filter: 'brightness(1.35)' } });
const widen = keyframes({ from: { transform: 'scaleX(.4)', opacity: 0 } });
const appear = keyframes({ from: { opacity: 0 } });

const Rays = styled('svg')(({ theme }) => ({
  position: 'absolute',
  inset: 0,
  width: '100%',
  height: '100%',
  overflow: 'visible',
  zIndex: -1,
  pointerEvents: 'none',
  [FORCED]: { display: 'none' },
  '& path': { fill: theme.vars.palette.stage.beam },
  '& ellipse': { fill: theme.vars.palette.stage.pool, transformBox: 'fill-box', transformOrigin: 'center' },
  '&[data-event="arrived"] ellipse': { animation: `${brighten} ${MS.light}ms ${EASE}` },
  '&[data-event="opened"] ellipse': { animation: `${widen} ${MS.light}ms ${EASE}` },
  [STILL]: {
    '&[data-event="arrived"] ellipse': { animation: 'none' },
    '&[data-event="opened"] ellipse': { animation: `${appear} ${MS.hover}ms` },
  },
}));

interface StageProps {
  readonly children: ReactNode;
  readonly light?: keyof typeof LIGHTS;
  /** Another lamp from a tablet on, where the panel is a card. */
  readonly lightOnDesktop?: keyof typeof LIGHTS;
  /** From edge to edge on a phone, or always: no corners. */
  readonly full?: boolean | 'always';
  /** The pool widens once as the panel opens, or brightens once because money came. */
  readonly event?: 'opened' | 'arrived';
}

const Ground = styled(Paper)({
  '&[data-full="true"], &[data-full="always"]': { borderRadius: 0 },
  // A card from the width on at which the page has columns.
  [DESKTOP]: { '&[data-full="true"]': { borderRadius: 16 } },
});

function Beam({ light, event }: { readonly light: Light; readonly event?: StageProps['event'] }) {
  return (
    <Rays aria-hidden="true" data-event={event}>
      <svg x={light.centred ? '50%' : 0} overflow="visible">
        <path d={light.beam} />
        <ellipse {...light.pool} />
      </svg>
    </Rays>
  );
}

const Only = styled('div')({
  display: 'contents',
  [DESKTOP]: { '&[data-on="phone"]': { display: 'none' } },
  [PHONE]: { '&[data-on="desktop"]': { display: 'none' } },
});

export function Stage({ children, light = 'card', lightOnDesktop, full = false, event }: StageProps) {
  return (
    <Ground variant="stage" className="on-stage" data-full={full}>
      {lightOnDesktop === undefined ? (
        <Beam light={LIGHTS[light]} event={event} />
      ) : (
        <>
          <Only data-on="phone">
            <Beam light={LIGHTS[light]} event={event} />
          </Only>
          <Only data-on="desktop">
            <Beam light={LIGHTS[lightOnDesktop]} event={event} />
          </Only>
        </>
      )}
      {children}
    </Ground>
  );
}
