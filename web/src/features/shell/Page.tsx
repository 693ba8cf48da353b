/**
 * What a screen is put into. The ordinary one:
 *
 *     <Page title="Transaction History">…</Page>
 *
 * and one whose stage goes from edge to edge on a phone, with the header inside it:
 *
 *     <StagePage title="My QR Code" stage={…}>…</StagePage>
 */
import Typography from '@mui/material/Typography';
import { keyframes, styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { PageHeader } from '../../shared/ui/PageHeader.js';
import { PageTitle } from '../../shared/ui/PageTitle.js';
import { Stage, type LIGHTS } from '../../shared/ui/Stage.js';
import { COLUMNS, DESKTOP, MS, NARROW, PHONE, WIDE, columnsOf } from '../../shared/ui/theme.js';
import { Header } from './Header.js';

const appear = keyframes({ from: { opacity: 0 } });

/** On a wide screen all pages are centred beside the navigation, with the same left edge. */
export const FROM_THE_EDGE = 'max(0px, (100% - 1192px) / 2)';

const Column = styled('div')({
  boxSizing: 'border-box',
  width: '100%',
  maxWidth: 480,
  margin: '0 auto',
  padding: '8px 20px 32px',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  alignContent: 'start',
  animation: `${appear} ${MS.hover}ms`,
  [NARROW]: { paddingLeft: 16, paddingRight: 16 },
  [DESKTOP]: {
    maxWidth: 1192,
    margin: 0,
    marginLeft: FROM_THE_EDGE,
    padding: '32px 24px 48px',
    gap: 24,
    '&[data-width="narrow"]': { maxWidth: 1016 },
    '&[data-width="list"]': { maxWidth: 768 },
    '&[data-width="single"]': { maxWidth: 608 },
  },
  [WIDE]: {
    padding: '32px 48px 48px',
    '&[data-width="list"]': { maxWidth: 816 },
    '&[data-width="single"]': { maxWidth: 656 },
  },
});

interface PageProps {
  readonly title: string;
  readonly back?: string;
  readonly backState?: object;
  readonly action?: ReactNode;
  readonly children: ReactNode;
  /** From a tablet on: `wide` 1096 px, `narrow` 920, `list` one column of 720, `single` one of 560. */
  readonly width?: 'wide' | 'narrow' | 'list' | 'single';
}

export function Page({ title, back, backState, action, children, width = 'wide' }: PageProps) {
  return (
    <>
      <Header />
      <Column data-width={width}>
        <PageHeader title={title} back={back} backState={backState} action={action} />
        {children}
      </Column>
    </>
  );
}

/** From a tablet on the stage is a card at the top left, or where the page's own grid puts it. */
const OnPhone = styled('div')({ [DESKTOP]: { display: 'contents' } });
const DesktopTitle = styled('div')({
  [PHONE]: {
    position: 'absolute',
    width: 1,
    height: 1,
    overflow: 'hidden',
    clipPath: 'inset(50%)',
  },
});
const StageColumn = styled('div')({
  [DESKTOP]: {
    boxSizing: 'border-box',
    maxWidth: 1192,
    marginLeft: FROM_THE_EDGE,
    padding: '32px 24px 48px',
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr)',
    gap: 24,
  },
  [WIDE]: { padding: '32px 48px 48px' },
});
const StageGrid = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  [DESKTOP]: { gap: 24, alignItems: 'start' },
  [COLUMNS]: { gridTemplateColumns: columnsOf(408) },
});
const Below = styled('div')({
  boxSizing: 'border-box',
  width: '100%',
  maxWidth: 480,
  margin: '0 auto',
  padding: '16px 20px 32px',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 20,
  [NARROW]: { paddingLeft: 16, paddingRight: 16 },
  [DESKTOP]: { maxWidth: 'none', padding: 0, gap: 24 },
});

interface StagePageProps {
  /** The title of the browser tab, and the heading for screen readers. */
  readonly title: string;
  /** The visible heading on a desktop, if it differs. */
  readonly heading?: string;
  readonly light: keyof typeof LIGHTS;
  readonly lightOnDesktop?: keyof typeof LIGHTS;
  readonly event?: 'opened' | 'arrived';
  readonly stage: ReactNode;
  /** Below the stage: in its column on a desktop. */
  readonly children: ReactNode;
  /** Below everything on a phone, the right column on a desktop. */
  readonly aside: ReactNode;
}

export function StagePage({
  title,
  heading = title,
  light,
  lightOnDesktop,
  event,
  stage,
  children,
  aside,
}: StagePageProps) {
  return (
    <StageColumn>
      <PageTitle title={title} />
      <DesktopTitle>
        <Typography variant="h1" tabIndex={-1}>
          {heading}
        </Typography>
      </DesktopTitle>
      <StageGrid>
        <div style={{ minWidth: 0 }}>
          <Stage full light={light} lightOnDesktop={lightOnDesktop} event={event}>
            <Header />
            {stage}
          </Stage>
          <OnPhone>
            <Below style={{ marginTop: 0 }}>{children}</Below>
          </OnPhone>
        </div>
        <Below style={{ paddingTop: 0 }}>{aside}</Below>
      </StageGrid>
    </StageColumn>
  );
}
