/**
 * The look of the public tip page, in one sheet for all its states: the app's own colours, light and dark.
 */

export const PAGE_STYLE = `
:root{color-scheme:light;--bg:#F7F4F5;--surface:#fff;--sunken:#EFE9EB;--line:#E5DCDF;--control:#8C7A82;--ink:#1D1014;--ink2:#5F4E55;--primary:#7A1435;--onPrimary:#fff;--stage:#4A0D20;--beam:#591228;--pool:#691832;--onStage:#FFF4E0;--onStage2:#E9C9CC;--tungsten:#FFBE3D;--lit:#FFF3D6;--litEdge:#7A1435;--error:#B2271B;--errorTint:#FCE5E1;--pendingTint:#FFF0B8;--pending:#6B5000;--wallet:#000;--onWallet:#fff;--focus:#7A1435}
@media (prefers-color-scheme:dark){:root{color-scheme:dark;--bg:#140C0F;--surface:#1F1519;--sunken:#2A1E23;--line:#382930;--control:#8A757D;--ink:#F8F0F2;--ink2:#C2B0B6;--primary:#F3E4E8;--onPrimary:#32071A;--stage:#430B1C;--beam:#521024;--pool:#62152D;--onStage2:#E6C5C9;--lit:#3A2A12;--litEdge:#FFBE3D;--error:#FF9F92;--errorTint:#471710;--pendingTint:#3A2D06;--pending:#FFD866;--wallet:#fff;--onWallet:#000;--focus:#FFBE3D}}
*{box-sizing:border-box;margin:0}
html{background:var(--bg);-webkit-text-size-adjust:100%}
body{font:15px/22px Archivo,'Helvetica Neue',Arial,system-ui,sans-serif;color:var(--ink);background:var(--bg);font-variant-numeric:tabular-nums lining-nums;-webkit-font-smoothing:antialiased;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;overflow-wrap:break-word;-webkit-tap-highlight-color:transparent}
[hidden]{display:none!important}
a{color:inherit}
button,input{font:inherit;color:inherit}
svg{display:block;flex:none}
h1,h2,p{text-wrap:balance}
h1{font-size:28px;line-height:34px;font-weight:640;font-stretch:113%;letter-spacing:-.014em}
h2{font-size:17px;line-height:24px;font-weight:650;font-stretch:108%}
.s{font-size:13px;line-height:18px;color:var(--ink2)}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.stage :focus-visible{outline-color:var(--tungsten)}
.stage{position:relative;isolation:isolate;overflow:hidden;background:var(--stage);color:var(--onStage);padding:0 20px 36px}
.stage>svg.beam{position:absolute;left:50%;top:0;width:390px;height:326px;margin-left:-195px;z-index:-1;overflow:visible}
.top{display:flex;align-items:center;justify-content:space-between;gap:12px;min-height:52px}
.wm{display:inline-flex;align-items:center;gap:7px;font-size:19px;line-height:24px;font-weight:680;font-stretch:118%;letter-spacing:-.025em;text-decoration:none;min-height:44px}
.wm .dot{fill:var(--tungsten)}
.host{display:inline-flex;gap:6px;align-items:center;font-size:13px;color:var(--onStage2);min-width:0;overflow-wrap:anywhere}
.face{text-align:center;display:grid;grid-template-columns:minmax(0,1fr);justify-items:center;gap:16px;padding-top:2px;overflow-wrap:anywhere}
.face img,.face .letters{width:124px;height:124px;border-radius:50%;object-fit:cover;background:#E9C9CC}
.letters{display:grid;place-items:center;font-size:44px;line-height:1;font-weight:640;color:#4A0D20;font-stretch:113%}
.face h1 svg{display:inline-block;vertical-align:-.12em;margin-left:.3em}
.face p{color:var(--onStage2);margin-top:4px}
.body{padding:20px;display:grid;grid-template-columns:minmax(0,1fr);gap:16px;width:100%;max-width:480px;margin:0 auto;align-content:start}
.card{background:var(--surface);border:1px solid var(--line);border-radius:16px}
.pad{padding:16px}
fieldset{border:0;padding:0;min-width:0}
.presets{display:grid;grid-template-columns:repeat(5,minmax(0,1fr));gap:8px}
.presets label{position:relative;height:60px;border-radius:12px;border:1px solid var(--control);background:var(--surface);display:grid;place-items:center;font-size:17px;font-weight:600;font-stretch:106%;cursor:pointer}
.presets label:last-child{font-size:15px;font-stretch:100%}
.presets input{position:absolute;inset:0;opacity:0;cursor:pointer;margin:0;width:100%;height:100%}
.presets label:has(:checked){background:var(--lit);border:2px solid var(--litEdge);font-weight:680}
.presets label:has(:focus-visible){outline:3px solid var(--focus);outline-offset:2px}
.rows>*+*{border-top:1px solid var(--line)}
.rows{border-color:var(--control)}
.frow{display:flex;align-items:center;min-height:56px;padding:0 14px;gap:8px;font-size:16px}
.frow>.k{width:44px;color:var(--ink2);font-size:14px;flex:none}
.frow input[type=text]{flex:1;min-width:0;border:0;background:none;height:54px;padding:0;outline-offset:-2px;font-size:16px}
.frow input::placeholder,.field input::placeholder{color:var(--ink2);opacity:1}
.sw{display:inline-flex;align-items:center;gap:8px;font-size:14px;line-height:18px;min-height:44px;cursor:pointer}
.sw input{appearance:none;width:46px;height:28px;border-radius:14px;border:1.5px solid var(--control);position:relative;flex:none;cursor:pointer}
.sw input:before{content:'';position:absolute;width:18px;height:18px;border-radius:50%;background:var(--control);top:3.5px;left:4px}
.sw input:checked{background:var(--primary);border-color:var(--primary)}
.sw input:checked:before{background:var(--onPrimary);left:22px}
.field label{display:block;font-size:13px;line-height:18px;font-weight:600;color:var(--ink2);margin-bottom:6px}
.field input{height:52px;width:100%;border:1px solid var(--control);border-radius:12px;background:var(--surface);padding:0 14px;font-size:17px}
.field input[aria-invalid=true]{border-color:var(--error);box-shadow:0 0 0 1px var(--error)}
.field .btn{margin-top:10px}
.help{font-size:13px;line-height:18px;margin-top:6px;color:var(--error)}
.btn{min-height:48px;padding:8px 14px;border-radius:12px;border:1px solid var(--control);background:var(--surface);color:var(--ink);font-weight:640;font-size:15px;display:inline-flex;align-items:center;justify-content:center;gap:9px;cursor:pointer;width:100%;text-decoration:none;text-align:center}
.btn.main{min-height:56px;border-radius:14px;border-color:transparent;font-size:18px;background:var(--wallet);color:var(--onWallet)}
.btn.fill{border-color:transparent;background:var(--primary);color:var(--onPrimary);min-height:52px;font-size:16px}
.btn.text{border-color:transparent;background:none;min-height:44px}
.btn:active,.presets label:active{opacity:.8}
.btn:is([disabled],[aria-disabled=true]){opacity:.55;cursor:default}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(120px,1fr));gap:10px}
.pbar{position:sticky;bottom:0;margin-top:auto;background:var(--surface);border-top:1px solid var(--line);padding:14px 20px max(18px,env(safe-area-inset-bottom));display:grid;gap:10px;justify-items:center}
.pbar>*{width:100%;max-width:440px}
#pay{display:grid;grid-template-columns:minmax(0,1fr);gap:10px}
.own{display:flex;flex-wrap:wrap;gap:8px}.own:empty{display:none}.own p{flex:1 0 100%}.own .room{height:78px}.own .btn{flex:1 1 150px;width:auto;padding:8px;font-size:15px}
#wallets{min-height:56px}
#card-form{display:grid;gap:12px}#card-form[aria-busy=true] #card-fields{min-height:200px;border-radius:12px;background:var(--sunken)}
.pbar:has(#card-form:not([hidden])){position:static}
.banner{padding:12px 14px;border-radius:12px;font-size:14px;line-height:20px}
.banner.bad{background:var(--errorTint);color:var(--error)}
.banner.wait{background:var(--pendingTint);color:var(--pending)}
.banner:empty{display:none}
.mid{text-align:center}
.phone{display:none}
.lead{display:flex;justify-content:space-between;gap:16px;padding:6px 0}
.lead dt{color:var(--ink2);flex:none}.lead dd{font-weight:600;margin:0;text-align:right;min-width:0;overflow-wrap:anywhere}
.tick{width:52px;height:52px;border-radius:50%;background:var(--onStage);color:#4A0D20;display:grid;place-items:center}
.paid h1{font-size:36px;line-height:42px;font-weight:620;font-stretch:116%;letter-spacing:-.022em}
.cents{opacity:.72}
@media (max-height:780px) and (max-width:859px){.tip .face{grid-template-columns:auto minmax(0,1fr);text-align:left;justify-items:start;align-items:center}.tip .face img,.tip .face .letters{width:80px;height:80px;font-size:30px}.tip .face h1{font-size:24px;line-height:30px}.tip .stage{padding-bottom:20px}}
@media (max-width:859px){.owner .face{grid-template-columns:auto minmax(0,1fr);text-align:left;justify-items:start;align-items:center}.owner .face img,.owner .face .letters{width:80px;height:80px;font-size:30px}.owner .face h1{font-size:24px;line-height:30px}.owner .stage{padding-bottom:20px}}
@media (max-height:639px){.tip .body{padding-top:12px;gap:10px}.tip .presets label{height:52px}.frow{min-height:48px}.frow input[type=text]{height:46px}.pbar{position:static}}
@media (max-width:389px){.own .btn{padding:8px 4px;font-size:14px}.frow{padding:0 12px;gap:6px}.frow>.k{width:38px}.sw{gap:6px;font-size:13px}}
@media (max-width:359px){.body,.stage,.pbar{padding-left:16px;padding-right:16px}.presets{gap:6px}.presets label{font-size:15px}.presets label:last-child{font-size:13px}}
@media (min-width:860px){
body{flex-direction:row;font-size:16px}
.stage{flex:1.25;display:flex;flex-direction:column;padding:36px 48px}
.stage>svg.beam{width:100%;height:100%;left:0;margin:0}
.wm{font-size:22px}
.face{margin:auto;width:100%}.face img,.face .letters{width:240px;height:240px;font-size:84px}
.face h1{font-size:44px;line-height:50px}.face p{font-size:19px;line-height:28px}
.side{flex:1;display:flex;flex-direction:column;justify-content:center;padding:32px 24px;min-width:0}
.side .body{flex:none}.side h2{font-size:30px;line-height:36px;margin-bottom:4px}.side .card h2{font-size:20px;line-height:28px}
.pbar{position:static;margin:0 auto;background:none;border:0;padding:0 20px;width:100%;max-width:480px}
.phone{display:flex;gap:20px;align-items:center;width:100%;max-width:440px;margin:20px auto 0;padding:20px 0 0;border-top:1px solid var(--line)}
.phone svg{background:#fff;border:1px solid var(--line);border-radius:14px;padding:10px;width:120px;height:120px}
}
@media (max-width:859px){.side{display:contents}}
@media (forced-colors:active){.presets label:has(:checked){forced-color-adjust:none;background:Highlight;color:HighlightText}.stage>svg.beam{display:none}.sw input:checked,.sw input:before{forced-color-adjust:none}.sw input:before{background:CanvasText}.sw input:checked{background:Highlight}.sw input:checked:before{background:HighlightText}}
@media print{:root{color-scheme:light;--bg:#fff;--surface:#fff;--line:#bbb;--ink:#000;--ink2:#444;--onStage:#000;--onStage2:#444;--tungsten:#000}.stage{background:none;padding-bottom:12px}.pbar,.noprint,.phone,.stage>svg.beam{display:none}.tick{background:none;border:1px solid}}
`;
