/**
 * The theme: colours of both modes, type, shapes, motion, and styles of MUI's components. Colours are CSS
 * variables that follow the system's mode without a script, so that nothing flashes.
 */
import { createTheme } from '@mui/material/styles';
import type {} from '@mui/material/themeCssVarsAugmentation';

/** Palette entries that MUI does not have. */
interface OwnPalette {
  readonly sunken: string;
  readonly control: string;
  readonly focus: string;
  readonly scrim: string;
  readonly raised: string;
  readonly fill: { readonly main: string; readonly hover: string; readonly on: string };
  readonly stage: {
    readonly main: string;
    readonly beam: string;
    readonly pool: string;
    readonly on: string;
    readonly on2: string;
    readonly line: string;
  };
  readonly tungsten: {
    readonly main: string;
    readonly hover: string;
    readonly pressed: string;
    readonly on: string;
  };
  readonly beamOpacity: string;
  readonly lit: { readonly main: string; readonly edge: string };
  readonly tint: {
    readonly primary: string;
    readonly success: string;
    readonly info: string;
    readonly error: string;
    readonly warning: string;
  };
  readonly toast: {
    readonly main: string;
    readonly text: string;
    readonly text2: string;
    readonly error: string;
    readonly success: string;
  };
}

declare module '@mui/material/styles' {
  interface Palette extends OwnPalette {
    readonly own?: never;
  }
  interface PaletteOptions extends Partial<OwnPalette> {
    readonly own?: never;
  }
  interface CssThemeVariables {
    enabled: true;
  }
  interface TypographyVariants {
    display: React.CSSProperties;
    amount: React.CSSProperties;
    label: React.CSSProperties;
  }
  interface TypographyVariantsOptions {
    display?: React.CSSProperties;
    amount?: React.CSSProperties;
    label?: React.CSSProperties;
  }
}
declare module '@mui/material/Typography' {
  interface TypographyPropsVariantOverrides {
    display: true;
    amount: true;
    label: true;
    h4: false;
    h5: false;
    h6: false;
  }
}
declare module '@mui/material/Button' {
  interface ButtonPropsVariantOverrides {
    tungsten: true;
    stage: true;
  }
}
declare module '@mui/material/Paper' {
  interface PaperPropsVariantOverrides {
    card: true;
    stage: true;
  }
}

export const FONT = "'Archivo Variable', 'Archivo Fallback', Archivo, system-ui, sans-serif";
export const EASE = 'cubic-bezier(.2,0,0,1)';
const EASE_OUT = 'cubic-bezier(.4,0,1,1)';
export const MS = { hover: 120, small: 200, panel: 280, light: 600 } as const;
/** From a tablet on: the navigation stands at the side, toasts at the lower right, panels are cards. */
export const DESKTOP = '@media (min-width: 720px)';
export const PHONE = '@media (max-width: 719.95px)';
/** The navigation at the side has its words beside the icons, below them in narrower windows. */
export const WIDE = '@media (min-width: 1280px)';
/** The container that the pages of the shell stand in: what is beside the navigation. */
export const CONTENT = 'content';
/** A page has two columns where each has 340 px to itself, whatever else is in the window. */
export const COLUMNS = `@container ${CONTENT} (min-width: 752px)`;
/** Two columns of which the second is as wide as it is best. */
export const columnsOf = (second: number): string => `minmax(340px, 1fr) minmax(340px, ${second}px)`;
/** Narrow phones: paired buttons lose their icons, choices stack. */
export const NARROW = '@media (max-width: 359.95px)';
/** Class of a dialog with buttons where toasts appear on a phone: the toasts move away. */
export const HAS_FORM = 'has-form';
/** Class of a sheet that comes from below, where toasts appear on a phone: all of them move away. */
export const HAS_SHEET = 'has-sheet';
/**
 * What is smaller than a finger, 44 px, can be touched so many px above and below it, and beside it, too. The
 * room lies behind the words, so that nothing covers them.
 */
export const touchRoom = (above: number, beside = 0) =>
  ({
    position: 'relative',
    isolation: 'isolate',
    '&::after': { content: '""', position: 'absolute', zIndex: -1, inset: `-${above}px -${beside}px` },
  }) as const;
export const STILL = '@media (prefers-reduced-motion: reduce)';

/**
 * For whoever has chosen the colours of all pages: what is said by a ground or a shadow alone is said by a
 * border too.
 */
export const FORCED = '@media (forced-colors: active)';
/** Chosen, under forced colours. */
export const FORCED_CHOICE = {
  forcedColorAdjust: 'none',
  backgroundColor: 'Highlight',
  color: 'HighlightText',
} as const;

const light = {
  primary: { main: '#7A1435', dark: '#5F0D28', contrastText: '#FFFFFF' },
  success: { main: '#0F6B3C', contrastText: '#FFFFFF' },
  info: { main: '#1A53B0', contrastText: '#FFFFFF' },
  error: { main: '#B2271B', dark: '#8E1C12', contrastText: '#FFFFFF' },
  warning: { main: '#6B5000', contrastText: '#FFFFFF' },
  text: { primary: '#1D1014', secondary: '#5F4E55', disabled: '#76646C' },
  background: { default: '#F7F4F5', paper: '#FFFFFF' },
  divider: '#E5DCDF',
  sunken: '#EFE9EB',
  control: '#8C7A82',
  focus: '#7A1435',
  scrim: 'rgba(29,16,20,.56)',
  raised: '#FFFFFF',
  fill: { main: '#7A1435', hover: '#5F0D28', on: '#FFFFFF' },
  stage: {
    main: '#4A0D20',
    beam: '#591228',
    pool: '#691832',
    on: '#FFF4E0',
    on2: '#E9C9CC',
    line: '#B57D8B',
  },
  tungsten: { main: '#FFBE3D', hover: '#FFCC66', pressed: '#F2AC1F', on: '#1D1014' },
  beamOpacity: '.2',
  lit: { main: '#FFF3D6', edge: '#7A1435' },
  tint: { primary: '#F8E9EE', success: '#DDF3E5', info: '#E1EBFC', error: '#FCE5E1', warning: '#FFF0B8' },
  toast: { main: '#1D1014', text: '#FFFFFF', text2: '#CDBFC4', error: '#FF9F92', success: '#74DBA4' },
};

const dark: typeof light = {
  primary: { main: '#F5A9BC', dark: '#FAC6D3', contrastText: '#32071A' },
  success: { main: '#74DBA4', contrastText: '#10301F' },
  info: { main: '#93BEFF', contrastText: '#15294D' },
  error: { main: '#FF9F92', dark: '#FFBBB1', contrastText: '#471710' },
  warning: { main: '#FFD866', contrastText: '#3A2D06' },
  text: { primary: '#F8F0F2', secondary: '#C2B0B6', disabled: '#A08D94' },
  background: { default: '#140C0F', paper: '#1F1519' },
  divider: '#382930',
  sunken: '#2A1E23',
  control: '#8A757D',
  focus: '#FFBE3D',
  scrim: 'rgba(0,0,0,.66)',
  raised: '#3B2C32',
  fill: { main: '#F3E4E8', hover: '#FFFFFF', on: '#32071A' },
  stage: {
    main: '#430B1C',
    beam: '#521024',
    pool: '#62152D',
    on: '#FFF4E0',
    on2: '#E6C5C9',
    line: '#AF7786',
  },
  tungsten: { main: '#FFBE3D', hover: '#FFCC66', pressed: '#F2AC1F', on: '#1D1014' },
  beamOpacity: '.13',
  lit: { main: '#3A2A12', edge: '#FFBE3D' },
  tint: { primary: '#3A1522', success: '#10301F', info: '#15294D', error: '#471710', warning: '#3A2D06' },
  toast: { main: '#F8F0F2', text: '#1D1014', text2: '#5F4E55', error: '#B2271B', success: '#0F6B3C' },
};

/** Colour values for the card provider's fields, which are outside our page. */
export const COLOURS = { light, dark } as const;

const TOAST_SHADOW = '0 12px 32px -8px rgba(45,10,22,.4)';
const DIALOG_SHADOW = '0 24px 64px -12px rgba(45,10,22,.45)';

export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'media' },
  colorSchemes: { light: { palette: light }, dark: { palette: dark } },
  spacing: 4,
  shape: { borderRadius: 12 },
  breakpoints: { values: { xs: 0, sm: 360, md: 720, lg: 1280, xl: 1536 } },
  transitions: {
    easing: { easeInOut: EASE, easeOut: EASE, easeIn: EASE_OUT, sharp: EASE_OUT },
    duration: {
      shortest: MS.hover,
      shorter: MS.small,
      short: MS.small,
      standard: MS.panel,
      complex: MS.light,
      enteringScreen: MS.panel,
      leavingScreen: MS.small,
    },
  },
  typography: {
    fontFamily: FONT,
    fontSize: 15,
    htmlFontSize: 16,
    display: {
      fontFamily: FONT,
      fontSize: 44,
      lineHeight: '48px',
      fontWeight: 620,
      fontStretch: '116%',
      letterSpacing: '-.022em',
      whiteSpace: 'nowrap',
    },
    h1: {
      fontSize: 26,
      lineHeight: '32px',
      fontWeight: 640,
      fontStretch: '113%',
      letterSpacing: '-.014em',
      textWrap: 'balance',
      [DESKTOP]: { fontSize: 30, lineHeight: '36px' },
      [NARROW]: { fontSize: 22, lineHeight: '28px' },
    },
    h2: {
      fontSize: 17,
      lineHeight: '24px',
      fontWeight: 650,
      fontStretch: '108%',
      letterSpacing: '-.006em',
      textWrap: 'balance',
    },
    h3: { fontSize: 15, lineHeight: '22px', fontWeight: 640, letterSpacing: 0 },
    subtitle1: { fontSize: 15, lineHeight: '22px', fontWeight: 600, letterSpacing: 0 },
    body1: { fontSize: 15, lineHeight: '22px', letterSpacing: 0 },
    body2: { fontSize: 13, lineHeight: '18px', letterSpacing: 0, textWrap: 'balance' },
    label: { fontFamily: FONT, fontSize: 13, lineHeight: '18px', fontWeight: 600 },
    amount: {
      fontFamily: FONT,
      fontSize: 16,
      lineHeight: '22px',
      fontWeight: 620,
      fontStretch: '106%',
      whiteSpace: 'nowrap',
    },
    button: {
      fontSize: 16,
      lineHeight: '22px',
      fontWeight: 640,
      fontStretch: '104%',
      textTransform: 'none',
      letterSpacing: 0,
    },
  },
  components: {
    MuiCssBaseline: {
      styleOverrides: (theme) => ({
        html: { WebkitTextSizeAdjust: '100%' },
        body: {
          fontVariantNumeric: 'tabular-nums lining-nums',
          WebkitFontSmoothing: 'antialiased',
          overflowWrap: 'break-word',
          // Avoids a last line of one short word.
          textWrap: 'pretty',
        },
        'a, button, input, textarea, select, [tabindex]': {
          '&:focus-visible': { outline: `3px solid ${theme.vars.palette.focus}`, outlineOffset: 2 },
        },
        // A heading is focused when a page opens, but is not a control: no focus ring.
        'h1[tabindex="-1"]:focus, main[tabindex="-1"]:focus': { outline: 'none' },
        svg: { display: 'block', flex: 'none' },
        // Reduced motion: changes are immediate. Keyframe animations define their own reduced form.
        '*, *::before, *::after': { [STILL]: { transition: 'none !important' } },
      }),
    },
    MuiButtonBase: { defaultProps: { disableRipple: true } },
    MuiButton: {
      defaultProps: { disableElevation: true, variant: 'contained' },
      styleOverrides: {
        root: ({ theme, ownerState }) => ({
          minHeight: ownerState.size === 'small' ? 40 : 52,
          minWidth: 0,
          padding: ownerState.size === 'small' ? '8px 14px' : '14px 20px',
          borderRadius: ownerState.size === 'small' ? 10 : 12,
          fontSize: ownerState.size === 'small' ? 14 : 16,
          border: '1px solid transparent',
          ...((ownerState.size === 'small' || ownerState.variant === 'text') && touchRoom(3)),
          transition: `background-color ${MS.hover}ms ${EASE}, transform ${MS.hover}ms ${EASE}`,
          '&:active': { transform: 'scale(.985)' },
          [STILL]: { '&:active': { transform: 'none' } },
          '&.Mui-focusVisible, &:focus-visible': {
            outline: `3px solid ${theme.vars.palette.focus}`,
            outlineOffset: 2,
          },
          '&.Mui-disabled': {
            backgroundColor: theme.vars.palette.sunken,
            color: theme.vars.palette.text.disabled,
            borderColor: 'transparent',
          },
        }),
        startIcon: { marginLeft: 0, marginRight: 10, '& > *:nth-of-type(1)': { fontSize: 'inherit' } },
        endIcon: { marginRight: 0, marginLeft: 8 },
        text: ({ theme, ownerState }) => ({
          padding: '6px 8px',
          minHeight: 40,
          color:
            ownerState.color === 'inherit'
              ? theme.vars.palette.text.secondary
              : theme.vars.palette.primary.main,
          '&:hover': { backgroundColor: theme.vars.palette.sunken },
        }),
        contained: ({ theme, ownerState }) =>
          ownerState.color === 'error'
            ? {}
            : {
                backgroundColor: theme.vars.palette.fill.main,
                color: theme.vars.palette.fill.on,
                '&:hover': { backgroundColor: theme.vars.palette.fill.hover },
              },
        outlined: ({ theme }) => ({
          backgroundColor: theme.vars.palette.background.paper,
          borderColor: theme.vars.palette.control,
          color: theme.vars.palette.text.primary,
          '&:hover': { backgroundColor: theme.vars.palette.sunken, borderColor: theme.vars.palette.control },
        }),
      },
      variants: [
        {
          props: { variant: 'tungsten' },
          style: ({ theme }) => ({
            backgroundColor: theme.vars.palette.tungsten.main,
            color: theme.vars.palette.tungsten.on,
            '&:hover': { backgroundColor: theme.vars.palette.tungsten.hover },
            '&:active': { backgroundColor: theme.vars.palette.tungsten.pressed },
          }),
        },
        {
          props: { variant: 'stage' },
          style: ({ theme }) => ({
            backgroundColor: 'transparent',
            borderColor: theme.vars.palette.stage.line,
            color: theme.vars.palette.stage.on,
            '&:hover': { backgroundColor: theme.vars.palette.stage.beam },
          }),
        },
      ],
    },
    MuiIconButton: {
      styleOverrides: {
        root: ({ theme }) => ({
          width: 48,
          height: 48,
          borderRadius: 12,
          color: 'inherit',
          '&:hover': { backgroundColor: 'color-mix(in srgb, currentColor 8%, transparent)' },
          '&.Mui-focusVisible, &:focus-visible': {
            outline: `3px solid ${theme.vars.palette.focus}`,
            outlineOffset: -3,
          },
        }),
      },
    },
    MuiPaper: {
      defaultProps: { elevation: 0 },
      styleOverrides: { root: { backgroundImage: 'none', boxShadow: 'none' } },
      variants: [
        {
          props: { variant: 'card' },
          style: ({ theme }) => ({ border: `1px solid ${theme.vars.palette.divider}`, borderRadius: 16 }),
        },
        {
          props: { variant: 'stage' },
          style: ({ theme }) => ({
            position: 'relative',
            overflow: 'hidden',
            isolation: 'isolate',
            borderRadius: 16,
            backgroundColor: theme.vars.palette.stage.main,
            color: theme.vars.palette.stage.on,
            // On a stage the tungsten colour marks the focus.
            '& a:focus-visible, & button:focus-visible, & .Mui-focusVisible': {
              outlineColor: theme.vars.palette.tungsten.main,
            },
          }),
        },
      ],
    },
    MuiOutlinedInput: {
      styleOverrides: {
        root: ({ theme }) => ({
          minHeight: 52,
          fontSize: 16,
          borderRadius: 12,
          backgroundColor: theme.vars.palette.background.paper,
          '& .MuiOutlinedInput-notchedOutline, &:hover .MuiOutlinedInput-notchedOutline': {
            borderColor: theme.vars.palette.control,
          },
          '&.Mui-focused .MuiOutlinedInput-notchedOutline': {
            borderColor: theme.vars.palette.focus,
            borderWidth: 2,
          },
          '&.Mui-error .MuiOutlinedInput-notchedOutline': {
            borderColor: theme.vars.palette.error.main,
            borderWidth: 2,
          },
          '&.Mui-disabled': { backgroundColor: theme.vars.palette.sunken },
        }),
        input: ({ theme }) => ({
          padding: '14px',
          height: 24,
          // The ring around the whole field marks the focus.
          '&:focus-visible': { outline: 'none' },
          '&::placeholder': { color: theme.vars.palette.text.disabled, opacity: 1 },
        }),
        adornedStart: { paddingLeft: 14, '& input': { paddingLeft: 0 } },
        adornedEnd: { paddingRight: 14, '& input': { paddingRight: 0 } },
        notchedOutline: { legend: { display: 'none' }, top: 0 },
      },
    },
    MuiInputAdornment: {
      styleOverrides: {
        root: ({ theme }) => ({ color: theme.vars.palette.text.secondary, maxHeight: 'none' }),
      },
    },
    MuiSelect: { styleOverrides: { select: { minHeight: '24px', '&:focus-visible': { outline: 'none' } } } },
    MuiMenu: {
      styleOverrides: {
        paper: ({ theme }) => ({
          border: `1px solid ${theme.vars.palette.divider}`,
          boxShadow: TOAST_SHADOW,
          borderRadius: 12,
        }),
      },
    },
    // Twice the class: the library takes the height back from windows of 360 px on.
    MuiMenuItem: { styleOverrides: { root: { '&&': { minHeight: 48 }, fontSize: 16 } } },
    MuiFormControlLabel: { styleOverrides: { root: { minHeight: 44 } } },
    MuiSwitch: {
      styleOverrides: {
        root: { width: 46, height: 28, padding: 0, overflow: 'visible' },
        switchBase: ({ theme }) => ({
          padding: 0,
          margin: 5,
          color: theme.vars.palette.control,
          transitionDuration: `${MS.small}ms`,
          '&.Mui-checked': { transform: 'translateX(18px)', color: theme.vars.palette.primary.contrastText },
          '&.Mui-checked + .MuiSwitch-track': {
            [FORCED]: FORCED_CHOICE,
            opacity: 1,
            backgroundColor: theme.vars.palette.primary.main,
            borderColor: theme.vars.palette.primary.main,
          },
          '&.Mui-checked:hover, &:hover': { backgroundColor: 'transparent' },
          '&.Mui-focusVisible + .MuiSwitch-track, &:has(input:focus-visible) + .MuiSwitch-track': {
            outline: `3px solid ${theme.vars.palette.focus}`,
            outlineOffset: 2,
          },
        }),
        thumb: {
          width: 18,
          height: 18,
          boxShadow: 'none',
          backgroundColor: 'currentColor',
          [FORCED]: { forcedColorAdjust: 'none', backgroundColor: 'CanvasText' },
          '.Mui-checked &': { [FORCED]: { backgroundColor: 'HighlightText' } },
        },
        track: ({ theme }) => ({
          boxSizing: 'border-box',
          borderRadius: 14,
          opacity: 1,
          backgroundColor: 'transparent',
          border: `1.5px solid ${theme.vars.palette.control}`,
        }),
      },
    },
    MuiChip: {
      styleOverrides: {
        root: { height: 24, borderRadius: 6, fontSize: 12.5, lineHeight: '24px', fontWeight: 620 },
        icon: { marginLeft: 6, marginRight: -3, color: 'inherit' },
        label: { paddingLeft: 8, paddingRight: 8 },
      },
    },
    MuiToggleButtonGroup: {
      styleOverrides: {
        root: ({ theme }) => ({
          display: 'grid',
          gridAutoFlow: 'column',
          gridAutoColumns: '1fr',
          padding: 4,
          borderRadius: 12,
          backgroundColor: theme.vars.palette.sunken,
        }),
        grouped: { border: 0, borderRadius: '9px !important', margin: '0 !important' },
      },
    },
    MuiToggleButton: {
      styleOverrides: {
        root: ({ theme }) => ({
          minHeight: 40,
          ...touchRoom(2),
          padding: '4px 6px',
          fontSize: 14,
          fontWeight: 560,
          textTransform: 'none',
          color: theme.vars.palette.text.secondary,
          [NARROW]: { fontSize: 12.5, padding: '4px 0' },
          '&.Mui-selected, &.Mui-selected:hover': {
            backgroundColor: theme.vars.palette.raised,
            color: theme.vars.palette.text.primary,
            fontWeight: 650,
            boxShadow: `0 0 0 1px ${theme.vars.palette.divider}`,
            [FORCED]: FORCED_CHOICE,
          },
        }),
      },
    },
    MuiTabs: {
      styleOverrides: {
        root: ({ theme }) => ({ minHeight: 44, borderBottom: `1px solid ${theme.vars.palette.divider}` }),
        indicator: ({ theme }) => ({
          height: 2,
          backgroundColor: theme.vars.palette.primary.main,
          [FORCED]: FORCED_CHOICE,
        }),
        list: { gap: 24 },
      },
    },
    MuiTab: {
      defaultProps: { iconPosition: 'start' },
      styleOverrides: {
        root: ({ theme }) => ({
          minHeight: 44,
          minWidth: 0,
          padding: 0,
          gap: 8,
          fontSize: 14,
          fontWeight: 560,
          textTransform: 'none',
          color: theme.vars.palette.text.secondary,
          '&.Mui-selected': { color: theme.vars.palette.text.primary, fontWeight: 650 },
          '& > svg': { margin: 0 },
        }),
      },
    },
    MuiBackdrop: {
      styleOverrides: {
        root: ({ theme, ownerState }) =>
          ownerState.invisible ? {} : { backgroundColor: theme.vars.palette.scrim },
      },
    },
    MuiDialog: {
      styleOverrides: {
        paper: ({ theme }) => ({
          margin: 16,
          width: 'calc(100% - 32px)',
          maxWidth: 480,
          borderRadius: 20,
          boxShadow: DIALOG_SHADOW,
          // Where scrollbars take room, as beside a mouse.
          scrollbarColor: `${theme.vars.palette.control} transparent`,
          '&, & *': { scrollbarWidth: 'thin' },
          ...theme.applyStyles('dark', { border: `1px solid ${theme.vars.palette.divider}` }),
        }),
      },
    },
    MuiDrawer: {
      styleOverrides: {
        paper: ({ theme }) => ({
          maxWidth: 560,
          margin: '0 auto',
          borderRadius: '20px 20px 0 0',
          boxShadow: DIALOG_SHADOW,
          ...theme.applyStyles('dark', { borderTop: `1px solid ${theme.vars.palette.divider}` }),
        }),
      },
    },
    MuiSkeleton: {
      defaultProps: { animation: 'pulse', variant: 'rounded' },
      styleOverrides: {
        root: ({ theme }) => ({ backgroundColor: theme.vars.palette.sunken, [STILL]: { animation: 'none' } }),
        rounded: { borderRadius: 6 },
      },
    },
    MuiTableCell: {
      styleOverrides: {
        root: ({ theme }) => ({
          borderColor: theme.vars.palette.divider,
          padding: '0 16px',
          height: 56,
          fontSize: 15,
        }),
        head: ({ theme }) => ({
          height: 'auto',
          padding: '12px 16px',
          fontSize: 13,
          lineHeight: '18px',
          fontWeight: 600,
          color: theme.vars.palette.text.secondary,
        }),
      },
    },
    MuiLink: {
      defaultProps: { underline: 'none' },
      styleOverrides: {
        root: ({ theme }) => ({
          fontWeight: 600,
          borderRadius: 4,
          '&:hover': { textDecoration: 'underline', textUnderlineOffset: 3 },
          '&:focus-visible': { outline: `3px solid ${theme.vars.palette.focus}`, outlineOffset: 2 },
        }),
      },
    },
  },
});
