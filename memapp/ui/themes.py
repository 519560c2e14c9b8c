"""The two themes of memapp. State is never told by colour alone: signs and words carry it too."""

from textual.theme import Theme

DARK = Theme(
    name="memapp-dark",
    primary="#8fb8a8",
    secondary="#9aa7c7",
    accent="#e0b070",
    warning="#e0b070",
    error="#e08080",
    success="#8fb8a8",
    foreground="#d8d8d2",
    background="#16181a",
    surface="#1c1f22",
    panel="#24282c",
    dark=True,
    variables={
        "footer-key-foreground": "#e0b070",
        "footer-background": "#16181a",
        "footer-description-foreground": "#8a9096",
        "input-selection-background": "#8fb8a8 35%",
        "block-cursor-background": "#2f4a42",
        "block-cursor-foreground": "#f0f0ea",
        "block-cursor-text-style": "none",
        "border": "#3a4046",
        "scrollbar": "#2c3136",
        "scrollbar-background": "#16181a",
        "scrollbar-corner-color": "#16181a",
    },
)

LIGHT = Theme(
    name="memapp-light",
    primary="#2f6f5b",
    secondary="#4a5a86",
    accent="#9a5b00",
    warning="#9a5b00",
    error="#a83232",
    success="#2f6f5b",
    foreground="#22262a",
    background="#fbfaf6",
    surface="#f3f1ea",
    panel="#e8e5da",
    dark=False,
    variables={
        "footer-key-foreground": "#9a5b00",
        "footer-background": "#fbfaf6",
        "footer-description-foreground": "#6a6f74",
        "block-cursor-background": "#d5e6de",
        "block-cursor-foreground": "#16181a",
        "block-cursor-text-style": "none",
        "border": "#cfcabb",
        "scrollbar": "#d8d4c6",
        "scrollbar-background": "#fbfaf6",
        "scrollbar-corner-color": "#fbfaf6",
    },
)
