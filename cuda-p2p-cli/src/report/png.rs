//! Pictures as pixels: for documents and screens that do not take SVG.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::figure::{Figure, Theme};

/// Pixels for each unit of a picture: enough for a screen of the fine kind.
const SCALE: f32 = 2.0;

/// The letters that pictures are made of. A machine with GPUs often has no font at all, and each has another one.
const FONTS: [&[u8]; 2] = [include_bytes!("font/Roboto-Regular.ttf"), include_bytes!("font/Roboto-Bold.ttf")];
const FAMILY: &str = "Roboto";

/// The picture as a PNG file.
///
/// # Errors
/// What the rasterizer says.
pub(super) fn png(figure: &Figure, theme: Theme) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    for font in FONTS {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family(FAMILY);
    let options = Options { font_family: FAMILY.to_owned(), fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(&figure.fixed(theme), &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("it has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::charts::charts;
    use super::super::page::tests::documents;
    use super::*;

    fn picture(theme: Theme, figure: &Figure) -> Pixmap {
        Pixmap::decode_png(&png(figure, theme).unwrap()).unwrap()
    }

    #[test]
    fn every_picture_has_its_colours_and_its_letters() {
        // The sweep and a matrix.
        for figure in charts(&documents(2, false, "proven")).into_iter().take(2) {
            let (light, dark) = (picture(Theme::Light, &figure), picture(Theme::Dark, &figure));
            let corner = |picture: &Pixmap| {
                let colour = picture.pixel(0, 0).unwrap();
                (colour.red(), colour.green(), colour.blue(), colour.alpha())
            };
            assert_eq!((corner(&light), corner(&dark)), ((255, 255, 255, 255), (0x11, 0x16, 0x1d, 255)));
            assert_eq!(
                light.width() as f64,
                SCALE as f64 * (figure.size.0.max(380.0) + 24.0),
                "{}",
                figure.name
            );
            let unlettered = Figure { title: String::new(), ..figure.clone() };
            let ink = |picture: &Pixmap| {
                picture.pixels().iter().filter(|pixel| pixel.red() < 0x40 && pixel.blue() < 0x60).count()
            };
            let (with, without) = (ink(&light), ink(&picture(Theme::Light, &unlettered)));
            assert!(with > without + 200, "{}: the title is not drawn: {with} and {without}", figure.name);
        }
    }

    #[test]
    fn no_colour_is_left_to_a_variable() {
        for figure in charts(&documents(4, false, "proven")) {
            for theme in [Theme::Light, Theme::Dark] {
                let svg = figure.fixed(theme);
                assert!(!svg.contains("var(") && !svg.contains("--"), "{svg}");
            }
        }
    }

    /// Writes pictures to look at into the folder that the variable names.
    #[test]
    fn pictures_to_look_at() {
        let Some(folder) = std::env::var_os("CUDA_P2P_REPORT_PAGES") else { return };
        for devices in [2, 8] {
            for figure in charts(&documents(devices, false, "proven")) {
                for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
                    let path =
                        std::path::Path::new(&folder).join(format!("{devices}-{}-{name}.png", figure.name));
                    std::fs::write(path, png(&figure, theme).unwrap()).unwrap();
                }
            }
        }
    }
}
